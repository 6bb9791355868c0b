declare module 'swagger-ui-dist/*.js' {
  const path: string
  export default path
}
declare module 'swagger-ui-dist/*.css' {
  const path: string
  export default path
}
declare module 'swagger-ui-dist/*.png' {
  const path: string
  export default path
}
