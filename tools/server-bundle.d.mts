/** Returns the main file of a bundle of the sources below `root`, and makes it with the executable `bun` if needed. */
export function serverBundle(root: string, bun: string): string;
