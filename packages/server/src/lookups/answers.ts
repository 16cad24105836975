import { type Static, type TSchema, Type } from "typebox";
import { Check } from "typebox/value";
import { LookupFailure } from "./fetch-json.ts";

/** An id of X or Mastodon: digits, as text. */
export const Digits = Type.String({ pattern: "^[1-9][0-9]{0,19}$" });
/** An account's handle, in characters that every network, log and database can hold. */
export const Handle = Type.String({ pattern: "^[A-Za-z0-9_.-]{1,253}$" });

/** Returns the body if it has the shape the API documents. @throws LookupFailure */
export function expectShape<T extends TSchema>(schema: T, body: unknown): Static<T> {
  if (Check(schema, body)) return body as Static<T>;
  throw new LookupFailure("its response has an unexpected structure");
}

/** True if a field names another post: it is absent or null when there is none. */
export const isPresent = (field: unknown): boolean => field !== undefined && field !== null;

/** Parses a date of an API into epoch milliseconds. @throws LookupFailure */
export function expectTime(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new LookupFailure("its response has an invalid date");
  return time;
}

/** Checks that the response is about what was requested. @throws LookupFailure */
export function expectSame(asked: string, answered: string): void {
  if (asked !== answered) throw new LookupFailure("its response is about something else");
}

/**
 * Returns the error for a response that is neither the post nor its absence. 401 and 403: the credential is not valid,
 * or no longer valid.
 */
export function unexpected(status: number): LookupFailure {
  return new LookupFailure(
    status === 401 || status === 403
      ? `it refuses our credential (${status}); check the settings`
      : `it responded with ${status}`,
  );
}
