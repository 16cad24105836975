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

/** A statement is prepared for each length of a list; these lengths keep the number of statements small. */
const LENGTHS = [1, 8, 64, 512] as const;
/** The longest list. */
export const PADDED_MAX = 512;

/** Returns at most 512 ids, padded with 0, which is never an id, for `where id in (…)`. */
export function paddedList(ids: readonly number[]): number[] {
  const length = LENGTHS.find((size) => size >= ids.length);
  if (length === undefined) throw new Error(`A list of ${ids.length} ids is too long.`);
  return [...ids, ...Array<number>(length - ids.length).fill(0)];
}
