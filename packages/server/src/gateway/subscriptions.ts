import type { AppContext } from "../context.ts";
import type { UserIdentity } from "../http/identity.ts";
import { visiblePages } from "../notifications/push/visible-pages.ts";
import { frameOf } from "../realtime/frame-text.ts";
import { CONNECTED, type PresenceEntry } from "../realtime/presence/presence.ts";
import { publishTyping } from "../realtime/presence/typing.ts";
import { channelTopic, userTopic } from "../realtime/topics.ts";
import { followAgent } from "./agent-sockets.ts";
import type { Connection } from "./connection.ts";

/** A reconnect within this time does not change the online list (protocol §8). */
export const GRACE_MS = 5_000;

/** Why a subscription ended without a request of its client. */
export type EndReason = "kicked" | "banned" | "left" | "private" | "deleted";

/**
 * Subscribes the socket and lists its user; an agent is listed by its login. A banned user counts as a guest, because they may only read. The caller has
 * already retained the topic at the hub and holds the channel's presence; both are released with the subscription.
 */
export function subscribe(ctx: AppContext, connection: Connection, channelId: number, isListed: boolean): void {
  connection.socket?.subscribe(connection.topicOf(channelId));
  connection.channels = [...connection.channels, channelId];
  if (!isListed) hide(connection, channelId);
  enterPresence(ctx, connection, channelId);
}

/** Ends a subscription. Returns whether there was one. */
export function unsubscribe(ctx: AppContext, connection: Connection, channelId: number, graceMs = 0): boolean {
  if (!connection.isIn(channelId)) return false;
  connection.channels = connection.channels.filter((id) => id !== channelId);
  stopTyping(ctx, connection, channelId);
  connection.socket?.unsubscribe(connection.topicOf(channelId));
  leavePresence(ctx, connection, channelId, graceMs);
  release(ctx, channelId);
  unhide(connection, channelId);
  return true;
}

/** Lists the user of a socket in a channel it is subscribed to, or counts them as a guest. */
export function setListed(ctx: AppContext, connection: Connection, channelId: number, isListed: boolean): void {
  if (!connection.isIn(channelId) || isListed === !isHidden(connection, channelId)) return;
  leavePresence(ctx, connection, channelId, 0);
  if (isListed) unhide(connection, channelId);
  else hide(connection, channelId);
  enterPresence(ctx, connection, channelId);
}

const isHidden = ({ unlisted }: Connection, channelId: number): boolean => unlisted?.has(channelId) ?? false;

function hide(connection: Connection, channelId: number): void {
  connection.unlisted ??= new Set();
  connection.unlisted.add(channelId);
}

function unhide(connection: Connection, channelId: number): void {
  if (connection.unlisted?.delete(channelId) && connection.unlisted.size === 0) connection.unlisted = null;
}

/** Ends a subscription and sends the client the reason. */
export function endSubscription(ctx: AppContext, connection: Connection, channelId: number, reason: EndReason): void {
  if (!unsubscribe(ctx, connection, channelId)) return;
  connection.send(frameOf("access:ended", JSON.stringify({ channel_id: channelId, reason })));
}

/**
 * Acquires what belongs to the connection's identity: its user topic and its presence, as connected and in its
 * channels. A user who must set up a second factor first gets nothing.
 */
export function attachIdentity(ctx: AppContext, connection: Connection): void {
  const { identity } = connection;
  if (identity.kind === "user") {
    if (identity.lacksFactor) return;
    const topic = userTopic(identity.userId);
    ctx.hub.retain(topic).catch((err) => ctx.log.error({ err, topic }, "subscribing to a topic failed"));
    connection.socket?.subscribe(topic);
    ctx.presence.enter(CONNECTED, entryOf(ctx, identity));
  } else if (identity.kind === "agent") followAgent(ctx, connection, identity);
  for (const channelId of connection.channels) enterPresence(ctx, connection, channelId);
}

/** Releases what `attachIdentity` acquired: the socket closed (with grace), or its identity changes. */
export function detachIdentity(ctx: AppContext, connection: Connection, graceMs: number): void {
  const { identity } = connection;
  for (const channelId of connection.channels) {
    stopTyping(ctx, connection, channelId);
    leavePresence(ctx, connection, channelId, graceMs);
  }
  connection.following?.stop();
  connection.following = null;
  if (identity.kind !== "user" || identity.lacksFactor) return;
  setVisible(ctx, connection, false);
  ctx.presence.leave(CONNECTED, "user", identity.userId, identity.username, graceMs);
  connection.socket?.unsubscribe(userTopic(identity.userId));
  ctx.hub.release(userTopic(identity.userId));
}

/** Notes whether the page of this socket is in front of its user: then nothing is pushed to the user's browsers. */
export function setVisible(ctx: AppContext, connection: Connection, isVisible: boolean): void {
  if (connection.identity.kind !== "user" || connection.isVisible === isVisible) return;
  connection.isVisible = isVisible;
  visiblePages(ctx).count(connection.identity.userId, isVisible ? 1 : -1);
}

/** Releases everything a socket holds, once: the socket closed, or receives nothing more. */
export function releaseAll(ctx: AppContext, connection: Connection): void {
  if (connection.isReleased) return;
  connection.isReleased = true;
  detachIdentity(ctx, connection, GRACE_MS);
  for (const channelId of connection.channels) release(ctx, channelId);
  connection.channels = [];
}

/** Releases what a subscription holds of a channel: its topic and its presence. */
export function release(ctx: AppContext, channelId: number): void {
  ctx.hub.release(channelTopic(channelId));
  ctx.presence.release(channelId);
}

/**
 * Shows or hides the user as typing, in a thread or in the channel itself. Repeating it within two seconds publishes
 * nothing, and so does ending it in a place that the user has left for another one.
 */
export function setTyping(
  ctx: AppContext,
  connection: Connection,
  { channelId, rootId }: { channelId: number; rootId: number | null },
  typing: boolean,
  second: number,
): void {
  if (connection.identity.kind !== "user") return;
  const known = connection.typing?.get(channelId);
  const isHere = known !== undefined && known.rootId === rootId;
  if (typing) {
    if (isHere && second - known.second < 2) return;
    connection.typing ??= new Map();
    connection.typing.set(channelId, { rootId, second });
  } else {
    if (!isHere) return;
    connection.typing?.delete(channelId);
    if (connection.typing?.size === 0) connection.typing = null;
  }
  const thread = rootId === null ? {} : { thread_root_id: rootId };
  publishTyping(ctx, channelId, { kind: "user", name: connection.identity.username, typing, ...thread });
}

function stopTyping(ctx: AppContext, connection: Connection, channelId: number): void {
  const known = connection.typing?.get(channelId);
  if (known !== undefined) setTyping(ctx, connection, { channelId, rootId: known.rootId }, false, 0);
}

/** An agent is online by its login, whether it has a socket or not. */
function enterPresence(ctx: AppContext, connection: Connection, channelId: number): void {
  const { identity } = connection;
  if (identity.kind === "agent") return;
  if (identity.kind === "user" && !isHidden(connection, channelId))
    ctx.presence.enter(channelId, entryOf(ctx, identity));
  else ctx.presence.enterGuest(channelId);
}

function leavePresence(ctx: AppContext, connection: Connection, channelId: number, graceMs: number): void {
  const { identity } = connection;
  if (identity.kind === "agent") return;
  if (identity.kind === "user" && !isHidden(connection, channelId))
    ctx.presence.leave(channelId, "user", identity.userId, identity.username, graceMs);
  else ctx.presence.leaveGuest(channelId);
}

/** Updates the online lists of the socket's channels from its current identity. */
export function refreshPresence(ctx: AppContext, { identity, channels }: Connection): void {
  if (identity.kind !== "user") return;
  for (const channelId of channels ?? []) ctx.presence.refresh(channelId, entryOf(ctx, identity));
}

function entryOf(ctx: AppContext, { userId: id, username: name, honorLevel }: UserIdentity): PresenceEntry {
  return { kind: "user", id, name, honorLevel, since: ctx.clock.now() };
}
