/** Row counts of statements: a batch is cut into the largest that fit, so both SQL texts and statements stay few. */
export const STATEMENT_SIZES = [64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1] as const;

/** Splits the rows into pieces of those sizes, in order. */
export function inStatements<T>(rows: readonly T[]): T[][] {
  const pieces: T[][] = [];
  let from = 0;
  for (const size of STATEMENT_SIZES) {
    for (; rows.length - from >= size; from += size) pieces.push(rows.slice(from, from + size));
  }
  return pieces;
}
