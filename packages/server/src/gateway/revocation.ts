import { CLOSE } from "@parley/protocol/realtime";
import { authenticateHash } from "../accounts/sessions/sessions.ts";
import { readableChannel } from "../channels/access/access.ts";
import { isBanned } from "../channels/bans/bans.ts";
import { type Channel, isOpen } from "../channels/channel.ts";
import { findChannel } from "../channels/channel-cache.ts";
import { loginsOf } from "../channels/members/agents-online.ts";
import type { AppContext } from "../context.ts";
import { AppError } from "../errors.ts";
import { rightsNow } from "../http/acts/act.ts";
import type { AgentIdentity, MemberKey, UserIdentity } from "../http/identity.ts";
import { ADMINISTRATOR, hasLevel } from "../http/site-levels.ts";
import { onControl, onControlLost } from "../realtime/control/control.ts";
import { frameOf } from "../realtime/frame-text.ts";
import { assertMayListen, recheckAgent } from "./agent-sockets.ts";
import type { GatewayParts } from "./call.ts";
import type { Connection } from "./connection.ts";
import { readyFrame } from "./frames.ts";
import {
  attachIdentity,
  detachIdentity,
  type EndReason,
  endSubscription,
  refreshPresence,
  setListed,
} from "./subscriptions.ts";

const SESSION_OVER = "session over";
const REASONS: readonly string[] = ["kicked", "banned", "left", "private", "deleted"] satisfies EndReason[];

/**
 * Applies revocations made elsewhere to open sockets: ended sessions, accounts and channel memberships (protocol §8).
 */
export function watchRevocations(parts: GatewayParts): void {
  const { ctx, connections, rights } = parts;
  onControl(ctx, "session_ended", (sessionId) => {
    for (const connection of [...connections.all]) {
      const { identity } = connection;
      if (identity.kind === "user" && identity.sessionId === sessionId)
        connection.close(CLOSE.sessionOver, SESSION_OVER);
    }
  });
  onControl(ctx, "user_sessions_ended", ({ userId, except }) => {
    for (const connection of connections.ofUser(userId)) {
      const { identity } = connection;
      if (identity.kind === "user" && identity.sessionId !== except) connection.close(CLOSE.sessionOver, SESSION_OVER);
    }
  });
  onControl(ctx, "user_suspended", (userId) => {
    for (const connection of connections.ofUser(userId)) connection.close(CLOSE.accessEnded, "account suspended");
  });
  onControl(ctx, "user_changed", (userId) => {
    // The session cache handles this event in the same turn, perhaps later, so query it in the next.
    return nextMicrotask(() =>
      Promise.all(connections.ofUser(userId).map((connection) => refreshIdentity(ctx, connection))),
    );
  });
  onControl(ctx, "access_ended", ({ channelId, member, reason = "kicked" }) => {
    rights.version += 1;
    const data = { channel_id: channelId, reason: isReason(reason) ? reason : "kicked" };
    const frame = frameOf("channel:removed", JSON.stringify(data));
    for (const connection of connections.ofMember(member)) {
      endSubscription(ctx, connection, data.channel_id, data.reason);
      if (isUser(member)) connection.send(frame);
    }
  });
  onControl(ctx, "membership_changed", ({ channelId, member }) => {
    if (!isUser(member)) return undefined;
    const unlisted = [...connections.ofMember(member)].filter((connection) => connection.unlisted !== null);
    // A ban may have ended. The ban cache handles this event in the same turn, perhaps later, so query it in the next.
    return unlisted.length === 0 ? undefined : nextMicrotask(() => recheckListeners(ctx, channelId, unlisted));
  });
  onControl(ctx, "channel_closed", ({ channelId, memberIds }) => shutOut(parts, channelId, new Set(memberIds)));
  onControl(ctx, "channel_changed", (channelId) => {
    rights.version += 1;
    const listeners = [...connections.all].filter((connection) => connection.isIn(channelId));
    return listeners.length === 0 ? undefined : nextMicrotask(() => recheckListeners(ctx, channelId, listeners));
  });
  onControlLost(ctx, () => {
    rights.version += 1;
    void nextMicrotask(() => recheckAll(parts));
  });
}

const nextMicrotask = (act: () => Promise<unknown>): Promise<unknown> => Promise.resolve().then(act);

/** Checks every socket's session and subscriptions again. */
async function recheckAll({ ctx, connections }: GatewayParts): Promise<void> {
  for (const connection of [...connections.all]) {
    await refreshIdentity(ctx, connection);
    await recheckChannels(ctx, connection);
  }
}

/** Unsubscribes outsiders at once, without a query: they must not receive what is published later in this turn. */
function shutOut({ ctx, connections }: GatewayParts, channelId: number, members: ReadonlySet<number>): void {
  for (const connection of connections.all) {
    const { identity } = connection;
    const isMember = identity.kind === "user" && members.has(identity.userId);
    // Agents that are logged in and were not added are removed one by one (`dismissAgents`).
    if (identity.kind === "agent" && loginsOf(ctx, channelId, identity.agentId).length > 0) continue;
    if (isMember || hasLevel(identity, ADMINISTRATOR)) continue;
    endSubscription(ctx, connection, channelId, "private");
  }
}

const isUser = (member: MemberKey): boolean => member.startsWith("u");

const isReason = (text: string): text is EndReason => REASONS.includes(text);

/**
 * Refreshes the session's identity and closes the socket if the session or the agent's key has ended. The sweep calls
 * this too, so an expired session closes its sockets.
 */
export async function refreshIdentity(ctx: AppContext, connection: Connection): Promise<void> {
  const { sessionHash } = connection;
  const rightsAt = rightsNow(ctx);
  try {
    if (connection.identity.kind === "agent") return await recheckAgent(ctx, connection);
    if (sessionHash === null) return;
    const found = authenticateHash(ctx, sessionHash);
    const identity = found instanceof Promise ? await found : found;
    if (connection.sessionHash !== sessionHash) return;
    if (identity === null) connection.close(CLOSE.sessionOver, SESSION_OVER);
    else {
      const before = connection.identity;
      connection.rightsAt = rightsAt;
      if (before.kind === "user" && before.lacksFactor !== identity.lacksFactor)
        return readmit(ctx, connection, identity);
      connection.identity = identity;
      refreshPresence(ctx, connection);
      if (hasLevel(before, ADMINISTRATOR) && !hasLevel(identity, ADMINISTRATOR)) await recheckChannels(ctx, connection);
    }
  } catch (err) {
    ctx.log.warn({ err }, "checking a socket's session again failed");
    // Its rights may be gone: the sweep of the next second asks again.
    connection.pingAt = 0;
  }
}

/** Gives a socket its user's rights, or takes all of them, when a second factor was set up, removed or required. */
function readmit(ctx: AppContext, connection: Connection, identity: UserIdentity): void {
  for (const channelId of connection.channels) endSubscription(ctx, connection, channelId, "private");
  detachIdentity(ctx, connection, 0);
  connection.identity = identity;
  attachIdentity(ctx, connection);
  connection.send(readyFrame(ctx, connection));
}

/**
 * Checks listeners again after a channel's settings or a membership changed: the channel may be deleted or private now.
 */
async function recheckListeners(ctx: AppContext, channelId: number, listeners: readonly Connection[]): Promise<void> {
  for (const connection of listeners) await recheckChannel(ctx, connection, channelId);
}

/** Ends the subscriptions that a changed identity may not keep. */
export async function recheckChannels(ctx: AppContext, connection: Connection): Promise<void> {
  for (const channelId of connection.channels) await recheckChannel(ctx, connection, channelId);
}

async function recheckChannel(ctx: AppContext, connection: Connection, channelId: number): Promise<void> {
  try {
    const found = findChannel(ctx, { id: channelId });
    const channel = found instanceof Promise ? await found : found;
    if (channel === null) endSubscription(ctx, connection, channelId, "deleted");
    else if (connection.identity.kind === "agent") await recheckAgentIn(ctx, connection, connection.identity, channel);
    else if (!isOpen(channel)) await readableChannel(ctx, connection.identity, { id: channelId });
    else setListed(ctx, connection, channelId, !(await isBanned(ctx, connection.identity, channelId)));
  } catch (err) {
    // If rights cannot be read, assume none.
    if (!(err instanceof AppError)) ctx.log.warn({ err, channelId }, "reading a subscription's rights failed");
    endSubscription(ctx, connection, channelId, "private");
  }
}

/** Ends the subscription of an agent that may no longer be in the channel. */
async function recheckAgentIn(
  ctx: AppContext,
  connection: Connection,
  caller: AgentIdentity,
  { id }: Channel,
): Promise<void> {
  const channel = await readableChannel(ctx, caller, { id });
  try {
    await assertMayListen(ctx, caller, channel);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    endSubscription(ctx, connection, id, error.code === "banned" ? "banned" : "kicked");
  }
}
