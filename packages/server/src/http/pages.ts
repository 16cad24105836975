import { PAGE_DEFAULT, PAGE_MAX } from "@parley/protocol/limits";

/** The limit as it is used and echoed: 50 unless given, clamped to 200 (protocol §0). */
export const clampLimit = (limit: number | undefined): number => Math.min(limit ?? PAGE_DEFAULT, PAGE_MAX);

/** What a query says of the page it wants, in lists that are counted off. */
export interface OffsetQuery {
  limit?: number | undefined;
  offset?: number | undefined;
}

/** How an answer says where its page stands, in such lists. */
export interface OffsetPage {
  has_more: boolean;
  next_offset: number | null;
  limit: number;
}

/** A page of a list that is counted off. `find` is asked for one row more than is shown, which tells whether there are more. */
export async function pageByOffset<T>(
  query: OffsetQuery,
  find: (page: { limit: number; offset: number }) => readonly T[] | Promise<readonly T[]>,
): Promise<OffsetPage & { shown: T[] }> {
  const limit = clampLimit(query.limit);
  const offset = query.offset ?? 0;
  const found = await find({ limit: limit + 1, offset });
  const has_more = found.length > limit;
  return { shown: found.slice(0, limit), has_more, next_offset: has_more ? offset + limit : null, limit };
}

/** How an answer says where its page stands, in lists that are read from the newest on. */
export interface BeforePage {
  has_more: boolean;
  /** Hand it back as `before` to read on. */
  next_before: number | null;
  limit: number;
}

/** A page of a list that is read from the newest on, by ids. `find` is asked for one row more than is shown. */
export async function pageBefore<T extends { id: number }>(
  asked: number | undefined,
  find: (limit: number) => Promise<readonly T[]>,
): Promise<BeforePage & { shown: T[] }> {
  const limit = clampLimit(asked);
  const found = await find(limit + 1);
  const shown = found.slice(0, limit);
  const has_more = found.length > limit;
  return { shown, has_more, next_before: has_more ? (shown.at(-1)?.id ?? null) : null, limit };
}
