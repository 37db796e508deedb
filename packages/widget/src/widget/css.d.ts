/** A style sheet as its text, by the build. */
declare module '*.css' {
  const text: string;
  export default text;
}
