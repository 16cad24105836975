/** A picture that is imported as a file: its path. */
declare module "*.png" {
  const path: string;
  export default path;
}
