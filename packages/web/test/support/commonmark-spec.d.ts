declare module "commonmark-spec" {
  export const tests: { number: number; section: string; markdown: string; html: string }[];
}
