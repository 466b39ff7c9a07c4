/** As Vite imports a file's text. */
declare module '*?raw' {
  const text: string
  export default text
}
declare module '*.css'
declare module 'virtual:guest/*' {
  const text: string
  export default text
}
declare module '*?worker&url' {
  const address: string
  export default address
}
