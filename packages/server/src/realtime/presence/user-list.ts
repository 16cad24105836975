import { USER_LIST_MAX } from "@parley/protocol/limits";
import type { OnlineUser } from "@parley/protocol/models";
import { isoTime } from "../../base/iso-time.ts";
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import { type Scheduler, systemScheduler } from "../../base/scheduler.ts";
import type { AppContext } from "../../context.ts";
import { frameOf } from "../frame-text.ts";
import { channelTopic } from "../topics.ts";
import { keyOf, type PresenceChange, type PresenceEntry } from "./presence.ts";

/** At most one `user:list` per channel in this interval … */
const MERGE_MS = 250;
/** … which grows in a cluster with the number of users online, because each list goes to each of them. */
const USERS_PER_MS = 4;
const MERGE_MAX_MS = 5_000;

interface ChannelState {
  /** The actors that joined and left since the last list, by identity. An actor that did both is in neither. */
  joined: Map<string, PresenceEntry>;
  left: Map<string, PresenceEntry>;
  /** True if more happened than is recorded. */
  isPartial: boolean;
  /** True if a change is waiting to be sent. */
  dirty: boolean;
  /** True if a timer is running that will send it. */
  timed: boolean;
}

/** Returns the online list of a channel that this node holds, oldest first. */
export function heldUsers(ctx: AppContext, channelId: number): OnlineUser[] {
  return ctx.presence.list(channelId, USER_LIST_MAX).map(onlineUser);
}

/** Returns a part of the online list of any channel, oldest first. */
export function onlineUsers(ctx: AppContext, channelId: number, limit: number, offset = 0): MaybePromise<OnlineUser[]> {
  return andThen(ctx.presence.page(channelId, limit, offset), (entries) => entries.map(onlineUser));
}

/** Returns how many users and agents are online in a channel. */
export function onlineCount(ctx: AppContext, channelId: number): MaybePromise<number> {
  return andThen(ctx.presence.counts([channelId]), ([counts]) => counts?.count ?? 0);
}

function onlineUser(entry: PresenceEntry): OnlineUser {
  return {
    kind: entry.kind,
    name: entry.name,
    honor_level: entry.honorLevel,
    since: isoTime(entry.since),
  };
}

/**
 * Sends `user:list` to this node's sockets and streams when the online list changes; every node does so for its own.
 * After a quiet time the first change is sent at once (after the current turn of the loop, so that a joining client
 * receives its ack first); later changes are merged into one event per interval and channel.
 */
export function startUserList(ctx: AppContext, scheduler: Scheduler = systemScheduler): void {
  const channels = new Map<number, ChannelState>();
  let stopped = false;

  const flush = (channelId: number, state: ChannelState) => {
    state.timed = false;
    if (stopped) return;
    if (!state.dirty) {
      channels.delete(channelId);
      return;
    }
    send(ctx, channelId, state);
    arm(channelId, state, interval(ctx, channelId));
  };
  const arm = (channelId: number, state: ChannelState, ms: number) => {
    state.timed = true;
    scheduler.after(ms, () => flush(channelId, state));
  };

  ctx.presence.onChange((channelId, change) => {
    const state = channels.get(channelId) ?? fresh();
    channels.set(channelId, state);
    record(state, change);
    if (!state.timed) arm(channelId, state, 0);
  });
  ctx.onClose(() => {
    stopped = true;
  });
}

function interval(ctx: AppContext, channelId: number): number {
  if (ctx.cluster === null) return MERGE_MS;
  return Math.min(Math.max(MERGE_MS, ctx.presence.count(channelId) / USERS_PER_MS), MERGE_MAX_MS);
}

function fresh(): ChannelState {
  return { joined: new Map(), left: new Map(), isPartial: false, dirty: false, timed: false };
}

function record(state: ChannelState, { joined, left, isPartial }: PresenceChange): void {
  state.dirty = true;
  state.isPartial ||= isPartial;
  for (const entry of joined) {
    const key = keyOf(entry.kind, entry.id, entry.name);
    if (!state.left.delete(key)) state.joined.set(key, entry);
  }
  for (const entry of left) {
    const key = keyOf(entry.kind, entry.id, entry.name);
    if (!state.joined.delete(key)) state.left.set(key, entry);
  }
  // More than a list may hold; clients read `…/online` again, unless few are left by then.
  if (state.joined.size + state.left.size <= USER_LIST_MAX * 10) return;
  state.isPartial = true;
  state.joined.clear();
  state.left.clear();
}

function send(ctx: AppContext, channelId: number, state: ChannelState): void {
  const count = ctx.presence.count(channelId);
  const counts = { channel_id: channelId, count, guest_count: ctx.presence.guestCount(channelId) };
  const data =
    count <= USER_LIST_MAX ? { ...counts, users: heldUsers(ctx, channelId) } : { ...counts, ...differences(state) };
  Object.assign(state, fresh(), { timed: state.timed });
  ctx.hub.deliver(channelTopic(channelId), [{ event: "user:list", frame: frameOf("user:list", JSON.stringify(data)) }]);
}

/**
 * Returns the entries that a client with the previous list must add and remove. If more changed than a list may hold,
 * clients read `…/online` again.
 */
function differences({ joined, left, isPartial }: ChannelState) {
  if (isPartial || joined.size + left.size > USER_LIST_MAX) return { joined: [], left: [], truncated: true };
  return { joined: [...joined.values()].map(onlineUser), left: [...left.values()].map(onlineUser) };
}
