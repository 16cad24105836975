import { type Static, type TSchema, Type } from "typebox";
import { Check } from "typebox/value";
import { LookupFailure } from "./fetch-json.ts";

/** An id of X or Mastodon: digits, as a text. */
export const Digits = Type.String({ pattern: "^[1-9][0-9]{0,19}$" });
/** What an account is called, in letters that every network, log and database can hold. */
export const Handle = Type.String({ pattern: "^[A-Za-z0-9_.-]{1,253}$" });

/** The body, when it has the shape the API promises. @throws LookupFailure */
export function expectShape<T extends TSchema>(schema: T, body: unknown): Static<T> {
  if (Check(schema, body)) return body as Static<T>;
  throw new LookupFailure("its answer has not the shape it should have");
}

/** True if a field names another post: it is absent or null when there is none. */
export const isPresent = (field: unknown): boolean => field !== undefined && field !== null;

/** A date as APIs write it, in epoch milliseconds. @throws LookupFailure */
export function expectTime(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new LookupFailure("its answer has a date that is none");
  return time;
}

/** The answer speaks of what was asked. @throws LookupFailure */
export function expectSame(asked: string, answered: string): void {
  if (asked !== answered) throw new LookupFailure("its answer is about something else");
}

/** An answer that is neither the post nor its absence. 401 and 403: the credential is not, or no more, good for this. */
export function unexpected(status: number): LookupFailure {
  return new LookupFailure(
    status === 401 || status === 403 ? `it refuses us (${status}); see its settings` : `it answered ${status}`,
  );
}
