import { isoTime } from "./base/iso-time.ts";
import type { AppContext } from "./context.ts";
import type { Db } from "./db/db.ts";
import { pagesOf } from "./http/answers/streamed.ts";
import type { UserIdentity } from "./http/identity.ts";

const ROWS = 500;

/**
 * Returns a list of the copy of a user's data, as pages of the JSON texts of its records. Nothing is read before the
 * list is reached. Text by others is not in it.
 */
export type ExportPart = (ctx: AppContext, caller: UserIdentity) => AsyncIterable<readonly string[]>;

/** A page of one user's rows, in the order of their key, after the last row read. */
export interface PageAfter<T> {
  userId: number;
  last: T | undefined;
  limit: number;
}

/** Declares a list that is read at once. */
export const wholeList = (read: (ctx: AppContext, caller: UserIdentity) => Promise<readonly object[]>): ExportPart =>
  async function* (ctx, caller) {
    yield (await read(ctx, caller)).map((record) => JSON.stringify(record));
  };

/** Declares a list of any length, which is read in pages, so that memory does not grow with it. */
export const pagedList = <T extends object>(
  read: (db: Db, page: PageAfter<T>) => Promise<T[]>,
  record: (row: T, caller: UserIdentity) => object = withTimes,
): ExportPart =>
  recordsOf((ctx, { userId }) => pagesOf(ROWS, (last?: T) => read(ctx.db, { userId, last, limit: ROWS })), record);

/** Declares a list whose pages of rows `read` yields. */
export const recordsOf = <T extends object>(
  read: (ctx: AppContext, caller: UserIdentity) => AsyncIterable<readonly T[]>,
  record: (row: T, caller: UserIdentity) => object = (row) => row,
): ExportPart =>
  async function* (ctx, caller) {
    for await (const page of read(ctx, caller)) yield page.map((row) => JSON.stringify(record(row, caller)));
  };

const isTime = (key: string): boolean => key.endsWith("_at") || key === "until" || key.endsWith("_until");

/** Converts the times of a row to their wire format. */
export function withTimes(row: object): object {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, isTime(key) && typeof value === "number" ? isoTime(value) : value]),
  );
}
