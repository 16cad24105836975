import { USER_LIST_MAX } from "@parley/protocol/limits";
import type { OnlineUser } from "@parley/protocol/models";
import { type Scheduler, systemScheduler } from "../base/scheduler.ts";
import type { AppContext } from "../context.ts";
import type { PresenceEntry } from "./presence.ts";
import { publishEvent } from "./publish.ts";
import { channelTopic } from "./topics.ts";

/** At most one `user:list` per channel in this interval. */
const MERGE_MS = 250;

interface ChannelState {
  /** The entries of the last published list, by identity. */
  sent: Map<string, PresenceEntry>;
  /** True if a change is waiting to be published. */
  dirty: boolean;
  /** True if a timer is running that will publish it. */
  timed: boolean;
}

/** Returns the online list of a channel, oldest first. */
export function onlineUsers(ctx: AppContext, channelId: number, limit: number, offset = 0): OnlineUser[] {
  return ctx.presence.list(channelId, limit, offset).map(onlineUser);
}

function onlineUser(entry: PresenceEntry): OnlineUser {
  return {
    kind: entry.kind,
    name: entry.name,
    honor_level: entry.honorLevel,
    since: new Date(entry.since).toISOString(),
  };
}

/**
 * Broadcasts `user:list` when the online list changes. After a quiet time the first change is published at once (after
 * the current turn of the loop, so that a joining client receives its ack first); later changes are merged into one
 * event per 250 ms and channel.
 */
export function startUserList(ctx: AppContext, scheduler: Scheduler = systemScheduler): void {
  const channels = new Map<number, ChannelState>();
  let stopped = false;

  const flush = (channelId: number, state: ChannelState) => {
    state.timed = false;
    if (stopped) return;
    if (!state.dirty) {
      if (state.sent.size === 0) channels.delete(channelId);
      return;
    }
    state.dirty = false;
    broadcast(ctx, channelId, state);
    arm(channelId, state, MERGE_MS);
  };
  const arm = (channelId: number, state: ChannelState, ms: number) => {
    state.timed = true;
    scheduler.after(ms, () => flush(channelId, state));
  };

  ctx.presence.onChange((channelId) => {
    const state = channels.get(channelId) ?? { sent: new Map(), dirty: false, timed: false };
    channels.set(channelId, state);
    state.dirty = true;
    if (!state.timed) arm(channelId, state, 0);
  });
  ctx.onClose(() => {
    stopped = true;
  });
}

function broadcast(ctx: AppContext, channelId: number, state: ChannelState): void {
  const now = new Map<string, PresenceEntry>();
  for (const entry of ctx.presence.list(channelId, Number.MAX_SAFE_INTEGER)) now.set(identity(entry), entry);
  const before = state.sent;
  state.sent = now;
  const counts = { channel_id: channelId, count: now.size, guest_count: ctx.presence.guestCount(channelId) };
  const data =
    now.size <= USER_LIST_MAX
      ? { ...counts, users: [...now.values()].map(onlineUser) }
      : { ...counts, ...difference(before, now) };
  publishEvent(ctx, channelTopic(channelId), "user:list", data);
}

/**
 * Returns the entries that a client with the previous list must add and remove. If more changed than a list may hold,
 * clients read `…/online` again.
 */
function difference(before: Map<string, PresenceEntry>, now: Map<string, PresenceEntry>) {
  const joined: PresenceEntry[] = [];
  const left: PresenceEntry[] = [];
  for (const [key, entry] of now) if (!before.has(key)) joined.push(entry);
  for (const [key, entry] of before) if (!now.has(key)) left.push(entry);
  if (joined.length + left.length > USER_LIST_MAX) return { joined: [], left: [], truncated: true };
  return { joined: joined.map(onlineUser), left: left.map(onlineUser) };
}

function identity(entry: PresenceEntry): string {
  return `${entry.kind}${entry.id}:${entry.name}`;
}
