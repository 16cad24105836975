import type { Sticker } from "@parley/protocol/models";
import { ParleyError } from "@parley/sdk";
import { readStored, storedNames, writeStored } from "../state/local-storage.ts";
import { filesOf } from "./files/stored-files.ts";
import type { PendingMessage } from "./pending-message.ts";

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
export function storePending(owner: Owner, sending: PendingMessage): void {
  const { error, ...rest } = sending;
  const { code, message, retryAfter, details } = error ?? {};
  const storedError = error === null ? null : { code, message, retryAfter, details };
  writeStored(prefixOf(owner) + sending.key, JSON.stringify({ ...rest, error: storedError }));
}

export function removePending(owner: Owner, key: string): void {
  writeStored(prefixOf(owner) + key, null);
}

/** Returns the stored unsent messages, oldest first. Skips entries in an unreadable format, such as another version's. */
export function storedPending(owner: Owner): PendingMessage[] {
  const prefix = prefixOf(owner);
  const stored = storedNames(prefix).flatMap((name) => {
    const sending = sendingOf(name.slice(prefix.length), readStored(name));
    return sending === null ? [] : [sending];
  });
  return stored.sort((one, other) => one.at - other.at);
}

function sendingOf(key: string, text: string | null): PendingMessage | null {
  const stored = parsed(text);
  if (stored === null || typeof stored.content !== "string" || typeof stored.at !== "number") return null;
  const replyToId = typeof stored.replyToId === "number" ? stored.replyToId : null;
  const threadRootId = typeof stored.threadRootId === "number" ? stored.threadRootId : null;
  const alsoInChannel = stored.alsoInChannel === true;
  const expiresIn = typeof stored.expiresIn === "number" ? stored.expiresIn : null;
  const sticker = isSticker(stored.sticker) ? stored.sticker : null;
  const files = filesOf(stored.files);
  if (stored.content === "" && sticker === null && files.length === 0) return null;
  const { content, at } = stored;
  const linkPreviews = stored.linkPreviews !== false;
  const place = { replyToId, threadRootId, alsoInChannel, expiresIn, linkPreviews };
  return { key, content, ...place, sticker, files, at, error: errorOf(stored.error) };
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
