import { fail } from "../errors.ts";
import type { ChannelSettings } from "./settings/channel-settings.ts";

/** A channel's settings as committed. Immutable; excludes `last_seq`, which changes with every message. */
export interface Channel extends ChannelSettings {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly isPrivate: boolean;
  readonly hasPassword: boolean;
  /** null: owned by `system`. */
  readonly ownerId: number | null;
  readonly ownerUsername: string;
  /** Epoch ms; may lie in the past (`holdAt`). */
  readonly heldUntil: number | null;
  /** The users of a direct conversation; null for every other channel. */
  readonly direct: Direct | null;
  /** The agent of a direct conversation between a user and an agent. */
  readonly directAgent: DirectAgent | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** True if everyone may read the channel and join it by taking part. Only members may read a channel with a price. */
export const isOpen = (channel: Channel): boolean => !channel.isPrivate && channel.price === null;

/** A participant in a direct conversation. */
export interface Peer {
  readonly userId: number;
  readonly username: string;
  /** True if the user removed the conversation from their list; the next message restores it. */
  readonly hasClosed: boolean;
}

/** The user with the smaller id first; in a conversation with an agent its only user. */
export type Direct = readonly [low: Peer, high: Peer] | readonly [only: Peer];

export interface DirectAgent {
  readonly agentId: number;
  /** The name under which the user talks with it. */
  readonly agentName: string;
}

export type ChannelRole = "owner" | "admin" | "member";

export interface Membership {
  readonly role: ChannelRole;
  /** Epoch ms; null when not muted. May lie in the past. */
  readonly mutedUntil: number | null;
}

/**
 * A channel by id or slug. If both are given, the lookup uses the id; `checkSame` (access.ts) rejects a slug of another
 * channel.
 */
export interface ChannelRef {
  readonly id?: number | undefined;
  readonly slug?: string | undefined;
}

/**
 * Rejects a request whose slug belongs to another channel than its id. Call this only after the access check, or it
 * reveals a hidden channel's slug. Errors: `invalid_request`.
 */
export function checkSame(channel: Channel, { id, slug }: ChannelRef): Channel {
  if (id !== undefined && slug !== undefined && slug !== channel.slug) throw contradiction();
  return channel;
}

/** Returns the channel reference of a request whose `channel_id` may also be a slug. Errors: `invalid_request`. */
export function refOf({ channel_id, channel_slug }: NamedChannel): ChannelRef {
  const [id, slug] = [channel_id ?? undefined, channel_slug ?? undefined];
  if (typeof id !== "string") return { id, slug };
  if (slug !== undefined && slug !== id) throw contradiction();
  return { slug: id };
}

/** A request that names a channel by id, slug or both. */
export interface NamedChannel {
  channel_id?: number | string | null;
  channel_slug?: string | null;
}

const contradiction = () =>
  fail("invalid_request", {
    details: [{ path: "channel_slug", message: "does not belong to the channel in channel_id" }],
  });
