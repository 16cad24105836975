/** A page of a list, and where the next one begins; null: it was the last. */
export interface ListPage<T> {
  items: readonly T[];
  next: number | null;
}

/** Reads this many pages of a list, or as many as there are, as one. */
export async function readPages<T>(
  load: (from: number | undefined) => Promise<ListPage<T>>,
  count: number,
  from: number | undefined,
): Promise<ListPage<T>> {
  const { items, next } = await load(from);
  if (count === 1 || next === null) return { items, next };
  const rest = await readPages(load, count - 1, next);
  return { items: [...items, ...rest.items], next: rest.next };
}
