/** How many rows a statement writes: a batch is cut into the largest that fit, so that texts and statements are few, and texts stay prepared. */
export const STATEMENT_SIZES = [64, 32, 16, 8, 4, 2, 1] as const;

/** The rows in pieces of those sizes, in order. */
export function inStatements<T>(rows: readonly T[]): T[][] {
  const pieces: T[][] = [];
  let from = 0;
  for (const size of STATEMENT_SIZES) {
    for (; rows.length - from >= size; from += size) pieces.push(rows.slice(from, from + size));
  }
  return pieces;
}
