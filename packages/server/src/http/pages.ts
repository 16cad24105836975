import { PAGE_DEFAULT, PAGE_MAX } from "@parley/protocol/limits";

/** Returns the effective limit, which is also echoed: 50 by default, clamped to 200 (protocol §0). */
export const clampLimit = (limit: number | undefined): number => Math.min(limit ?? PAGE_DEFAULT, PAGE_MAX);

/** The paging fields of a query, in lists paged by offset. */
export interface OffsetQuery {
  limit?: number | undefined;
  offset?: number | undefined;
}

/** The paging fields of an answer, in lists paged by offset. */
export interface OffsetPage {
  has_more: boolean;
  next_offset: number | null;
  limit: number;
}

/** Returns a page of a list paged by offset. Requests one row more than it returns, to learn whether there are more. */
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

/** The paging fields of an answer, in lists read from newest to oldest. */
export interface BeforePage {
  has_more: boolean;
  /** Pass it as `before` to read on. */
  next_before: number | null;
  limit: number;
}

/** Returns a page of a list read from newest to oldest, by id. Requests one row more than it returns. */
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
