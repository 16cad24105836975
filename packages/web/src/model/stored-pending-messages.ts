import type { Sticker } from "@parley/protocol/records";
import { ParleyError } from "@parley/sdk/errors";
import { keep, keptNames, readKept } from "../state/local-storage.ts";
import type { Sending } from "./pending-messages.ts";

/** The user who writes, and the channel. */
export interface Owner {
  self: string;
  channelId: number;
}

/** Usernames contain no colons, so the prefixes of two users never collide. */
const prefixOf = ({ self, channelId }: Owner): string => `send:${self}:${channelId}:`;

/**
 * Stores a message until it is in the channel or discarded; it survives closing the page. Each message has its own key,
 * so two open pages do not overwrite each other.
 */
export function keepSend(owner: Owner, sending: Sending): void {
  const { error, ...rest } = sending;
  const { code, message, retryAfter, details } = error ?? {};
  const told = error === null ? null : { code, message, retryAfter, details };
  keep(prefixOf(owner) + sending.key, JSON.stringify({ ...rest, error: told }));
}

export function dropSend(owner: Owner, key: string): void {
  keep(prefixOf(owner) + key, null);
}

/** Returns the stored unsent messages, oldest first. Skips entries in an unreadable format, such as another version's. */
export function keptSends(owner: Owner): Sending[] {
  const prefix = prefixOf(owner);
  const kept = keptNames(prefix).flatMap((name) => {
    const sending = sendingOf(name.slice(prefix.length), readKept(name));
    return sending === null ? [] : [sending];
  });
  return kept.sort((one, other) => one.at - other.at);
}

function sendingOf(key: string, text: string | null): Sending | null {
  const kept = parsed(text);
  if (kept === null || typeof kept.content !== "string" || typeof kept.at !== "number") return null;
  const replyToId = typeof kept.replyToId === "number" ? kept.replyToId : null;
  const sticker = isSticker(kept.sticker) ? kept.sticker : null;
  if (kept.content === "" && sticker === null) return null;
  return { key, content: kept.content, replyToId, sticker, at: kept.at, error: errorOf(kept.error) };
}

function parsed(text: string | null): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function errorOf(value: unknown): ParleyError | null {
  if (!isRecord(value) || typeof value.code !== "string" || typeof value.message !== "string") return null;
  const retryAfter = typeof value.retryAfter === "number" ? value.retryAfter : undefined;
  return new ParleyError(value.code, value.message, { retryAfter, details: value.details });
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** Checks only the fields that are displayed or sent. */
const isSticker = (value: unknown): value is Sticker =>
  isRecord(value) &&
  typeof value.sticker_id === "number" &&
  typeof value.sticker_name === "string" &&
  typeof value.url === "string" &&
  typeof value.width === "number" &&
  typeof value.height === "number";
