import { DELETED_USER } from "@parley/protocol/privacy";
import type { AppContext } from "../context.ts";

/** An account that is being erased: what is left to do is to find these two and take them away. */
export interface ErasedUser {
  readonly userId: number;
  /** As he wrote it; it stands in many records in this form. */
  readonly username: string;
}

/** How far a step of erasing has come. */
export interface Place {
  readonly a: number;
  readonly b: number;
}

/** Where every step begins. */
export const BEGINNING: Place = { a: 0, b: 0 };

/**
 * A piece of the work, in the caller's transaction, which also writes down the place it gives back: where the next piece begins, or null
 * when there is no more. A piece takes milliseconds.
 */
export type ErasingStep = (ctx: AppContext, user: ErasedUser, from: Place) => Promise<Place | null>;

/** Keys under which records keep the name of a user. */
const isNameKey = (key: string): boolean =>
  key === "username" || key === "member" || key === "direct_with" || key.endsWith("_username") || key.endsWith("_by");

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/**
 * A stored JSON text with the label where it names the user, and without mentions of him. Null when it does not name him. What people
 * wrote stays as it is, also where it is the same word.
 */
export function withoutName(json: string, username: string): string | null {
  if (!json.includes(JSON.stringify(username))) return null;
  let changed = false;
  const replaced = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      const kept = value.filter((entry) => !isMentionOf(entry, username));
      changed ||= kept.length < value.length;
      return kept.map(replaced);
    }
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, field(key, entry)]));
  };
  const field = (key: string, entry: unknown): unknown => {
    if (!isNameKey(key) || entry !== username) return replaced(entry);
    changed = true;
    return DELETED_USER;
  };
  const text = JSON.stringify(replaced(JSON.parse(json)));
  return changed ? text : null;
}

/** Is it an entry of `mentions` that means this user? */
function isMentionOf(entry: unknown, username: string): boolean {
  return isRecord(entry) && entry.type === "user" && entry.name === username && typeof entry.offset === "number";
}

/** For `like`: JSON texts that may name the user. Wildcards in a name let in a few more, which `withoutName` tells apart. */
export const namePattern = (username: string): string => `%${JSON.stringify(username)}%`;
