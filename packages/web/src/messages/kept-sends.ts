import type { Sticker } from "@parley/protocol/records";
import { ParleyError } from "@parley/sdk/errors";
import { keep, keptNames, readKept } from "../app/kept.ts";
import type { Sending } from "./sends.ts";

/** Whose, and into which channel. */
export interface Owner {
  self: string;
  channelId: number;
}

/** Colons are in no username: one person's are never taken for another's. */
const prefixOf = ({ self, channelId }: Owner): string => `send:${self}:${channelId}:`;

/** Keeps a message until it is in the channel or thrown away; it outlives the page. Each has a name of its own: two pages lose nothing. */
export function keepSend(owner: Owner, sending: Sending): void {
  const { error, ...rest } = sending;
  const { code, message, retryAfter, details } = error ?? {};
  const told = error === null ? null : { code, message, retryAfter, details };
  keep(prefixOf(owner) + sending.key, JSON.stringify({ ...rest, error: told }));
}

export function dropSend(owner: Owner, key: string): void {
  keep(prefixOf(owner) + key, null);
}

/** What was not sent when the page went, oldest first. What another version wrote and this one cannot read is left out. */
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

/** As far as it is shown and sent. */
const isSticker = (value: unknown): value is Sticker =>
  isRecord(value) &&
  typeof value.sticker_id === "number" &&
  typeof value.sticker_name === "string" &&
  typeof value.url === "string" &&
  typeof value.width === "number" &&
  typeof value.height === "number";
