declare module 'virtual:guest/*' {
  const text: string
  export default text
}
