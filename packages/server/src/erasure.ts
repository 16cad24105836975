import { DELETED_USER } from "@parley/protocol/privacy";
import type { AppContext } from "./context.ts";

/** An account that is being erased. The remaining steps find its id and name and remove them. */
export interface ErasedUser {
  readonly userId: number;
  /** The name in the user's own spelling, as many records contain it. */
  readonly username: string;
}

/** The progress of an erasing step. */
export interface Place {
  readonly a: number;
  readonly b: number;
}

/** The first place of every step. */
export const BEGINNING: Place = { a: 0, b: 0 };

/**
 * Does one batch of an erasing step, in the caller's transaction, which also stores the returned place: the start of
 * the next batch, or null when the step is complete. A batch takes milliseconds.
 */
export type ErasingStep = (ctx: AppContext, user: ErasedUser, from: Place) => Promise<Place | null>;

/** Returns true for the keys under which records store a user's name. */
const isNameKey = (key: string): boolean =>
  key === "username" || key === "member" || key === "direct_with" || key.endsWith("_username") || key.endsWith("_by");

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/**
 * Replaces the user's name in a stored JSON text with the label and removes mentions of them. Returns null when the
 * text does not name the user. Text that people wrote stays unchanged, even where it contains the same word.
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
    if (key === "users" && Array.isArray(entry) && entry.includes(username)) {
      changed = true;
      return entry.map((name: unknown) => (name === username ? DELETED_USER : name));
    }
    if (!isNameKey(key) || entry !== username) return replaced(entry);
    changed = true;
    return DELETED_USER;
  };
  const text = JSON.stringify(replaced(JSON.parse(json)));
  return changed ? text : null;
}

/** Returns true if the value is an entry of `mentions` that refers to this user. */
function isMentionOf(entry: unknown, username: string): boolean {
  return isRecord(entry) && entry.type === "user" && entry.name === username && typeof entry.offset === "number";
}

/**
 * A `like` pattern for JSON texts that may name the user. Wildcards in a name match a few more, which `withoutName`
 * filters out.
 */
export const namePattern = (username: string): string => `%${JSON.stringify(username)}%`;
