/** As Vite imports a file's text. */
declare module '*?raw' {
  const text: string
  export default text
}
declare module '*.css'
