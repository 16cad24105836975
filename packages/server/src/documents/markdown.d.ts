/** Markdown that is imported as text and is part of the bundle and the executable. */
declare module "*.md" {
  const text: string;
  export default text;
}
