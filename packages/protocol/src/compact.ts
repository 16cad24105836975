import type { ChatMessage } from "./models.ts";

/**
 * The fields that a compact message lacks where they have this value. All of them are always present in the full form.
 * The table is part of the protocol: an entry may be added only together with its field, and none may change, because
 * clients fill in the values that they know.
 */
export const COMPACT_DEFAULTS = {
  type: "text",
  content: "",
  sender_type: "user",
  username: null,
  agent_name: null,
  agent_id: null,
  client_msg_id: null,
  reply_to_id: null,
  mentions: [],
  sticker: null,
  packet_id: null,
  thread_root_id: null,
  also_in_channel: false,
  thread: null,
  files: [],
  reactions: [],
  is_pinned: false,
  pinned_at: null,
  pinned_by: null,
  edited_at: null,
  is_deleted: false,
  expires_at: null,
} as const satisfies Partial<Record<keyof ChatMessage, unknown>>;

/** Returns the defaults with lists of their own, which the caller may change. */
export const usualFields = () => ({ ...COMPACT_DEFAULTS, mentions: [], files: [], reactions: [] });

/** The events whose message is compact. All others are the same in both forms. */
const COMPACT_EVENTS: ReadonlySet<string> = new Set(["message:new", "message:update"]);

/**
 * The slug of each channel, as the frames of one connection have named it so far. The server and the client read the
 * same frames, so that both know the same slug; a message lacks its slug only if it is the known one.
 */
export type KnownSlugs = Map<number, string>;

type Fields = Record<string, unknown>;

interface MessageData {
  channel_id: number;
  seq: number;
  chat_message: Fields;
}

/** True for events that `compact` changes or learns a slug from. */
export const concernsCompact = (event: string): boolean => COMPACT_EVENTS.has(event) || event === "channel:update";

/** Returns the data of an event in its compact form, and notes the slug that the frame names. Changes no argument. */
export function compact(event: string, data: unknown, slugs: KnownSlugs): unknown {
  if (!COMPACT_EVENTS.has(event)) {
    if (event === "channel:update") noteChannel(data, slugs);
    return data;
  }
  const full = data as MessageData;
  const { channel_id, seq, chat_message } = full;
  const short: Fields = {};
  for (const key in chat_message) {
    const value = chat_message[key];
    if (isDefault(key, value)) continue;
    if (key === "channel_id" && value === channel_id) continue;
    if (key === "seq" && value === seq) continue;
    if (key === "channel_slug" && value === slugs.get(channel_id)) continue;
    short[key] = value;
  }
  noteSlug(channel_id, short.channel_slug, slugs);
  return { ...full, chat_message: short };
}

/** Returns the data of an event of a compact connection in its full form, and notes the slug that the frame names. */
export function expand(event: string, data: unknown, slugs: KnownSlugs): unknown {
  if (!COMPACT_EVENTS.has(event)) {
    if (event === "channel:update") noteChannel(data, slugs);
    return data;
  }
  const short = data as MessageData;
  const { channel_id, seq, chat_message } = short;
  noteSlug(channel_id, chat_message.channel_slug, slugs);
  const place = { channel_id, channel_slug: slugs.get(channel_id), seq };
  return { ...short, chat_message: { ...usualFields(), ...place, ...chat_message } };
}

/** Expands the missed events in the ack of a join, which names the channel's slug. Other acks are returned unchanged. */
export function expandAck(data: unknown, slugs: KnownSlugs): unknown {
  if (!isObject(data) || !isObject(data.channel)) return data;
  noteChannel(data, slugs);
  if (!Array.isArray(data.events)) return data;
  const events = data.events as { event: string; data: unknown }[];
  return { ...data, events: events.map((frame) => ({ ...frame, data: expand(frame.event, frame.data, slugs) })) };
}

function isDefault(key: string, value: unknown): boolean {
  if (!Object.hasOwn(COMPACT_DEFAULTS, key)) return false;
  const usual: unknown = COMPACT_DEFAULTS[key as keyof typeof COMPACT_DEFAULTS];
  return Array.isArray(usual) ? Array.isArray(value) && value.length === 0 : value === usual;
}

function noteChannel(data: unknown, slugs: KnownSlugs): void {
  const { channel } = data as { channel?: { id?: unknown; channel_slug?: unknown } };
  if (typeof channel?.id === "number") noteSlug(channel.id, channel.channel_slug, slugs);
}

function noteSlug(channelId: number, slug: unknown, slugs: KnownSlugs): void {
  if (typeof slug === "string") slugs.set(channelId, slug);
}

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;
