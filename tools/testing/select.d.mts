export function testFiles(root: string): string[];
export function needOf(path: string, needs: object): string | null;
export function named(paths: readonly string[], words: readonly string[]): string[];
export function byNeed(paths: readonly string[], needs: object): Record<string, string[]>;
export function splitWords(words: readonly string[]): { names: string[]; options: string[] };
