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
