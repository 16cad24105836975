import type { AgentSession, AgentSessionsQuery, SetSessionBody } from "@parley/protocol/agent-sessions";
import { ENDED_SESSIONS_KEPT, OPEN_SESSIONS_MAX, SESSIONS_PAGE } from "@parley/protocol/agent-sessions";
import { oneLine, optionalText } from "../../base/visible-text.ts";
import { membershipOf, readableChannel, writableChannel } from "../../channels/access/access.ts";
import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { AppError, fail } from "../../errors.ts";
import type { AgentIdentity, Identity } from "../../http/identity.ts";
import { channelsInScope } from "../../http/key-scopes.ts";
import { type OffsetPage, pageByOffset } from "../../http/pages.ts";
import { checkReply } from "../../messages/append/check-reply.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { channelTopic } from "../../realtime/topics.ts";
import { lockAgent } from "../agent-control.ts";
import { bindAgentName } from "../name-binding.ts";
import { speakerOf } from "../speaker.ts";
import { sessionRecord } from "./session-record.ts";
import * as store from "./sessions.store.ts";

/**
 * Stores what the agent does in a thread (protocol §16.4), and shows it to the channel. To work there, the agent must be
 * able to reply in the thread; it may end what it began wherever it may still read.
 * Errors: those of `writableChannel`, `speakerOf`, `bindAgentName` and `checkReply`, `session_limit_reached`.
 */
export async function setSession(ctx: AppContext, caller: AgentIdentity, body: SetSessionBody): Promise<AgentSession> {
  const { thread_root_id: threadRootId, state } = body;
  const ref = { slug: body.channel_slug };
  const channel =
    state === "working" ? await writableChannel(ctx, caller, ref) : await readableChannel(ctx, caller, ref);
  const name = await bindAgentName(ctx, caller.agentId, await speakerOf(ctx, caller.agentId, body.agent_name));
  const before = await store.findSession(ctx.db, caller.agentId, threadRootId);
  if (before !== undefined && before.channel_id !== channel.id) throw fail("message_not_found");
  const isNew = before === undefined || state === "working";
  const check = (ctx: AppContext) => checkReply(ctx, { caller, channel, threadRootId }, null);
  if (isNew) await check(ctx);
  return transact(ctx, async (ctx) => {
    // Serializes what one agent begins.
    await lockAgent(ctx, caller.agentId);
    if (isNew) await check(ctx);
    const row = await store.findSession(ctx.db, caller.agentId, threadRootId);
    // Its thread was removed in the meantime.
    if (row === undefined && !isNew) throw fail("message_not_found");
    const next = changed(row, { body, name, channel, agentId: caller.agentId, now: ctx.clock.now() });
    if (next === null && row !== undefined) return sessionRecord(row);
    if (next === null) throw new Error("A session that does not exist cannot stay as it is.");
    const isOpening = state === "working" && (row === undefined || row.state !== "working" || row.gone_at !== null);
    if (isOpening && (await store.countOpen(ctx.db, caller.agentId)) >= OPEN_SESSIONS_MAX)
      throw fail("session_limit_reached");
    await store.storeSession(ctx.db, next);
    await store.keepNewest(ctx.db, caller.agentId, ENDED_SESSIONS_KEPT);
    const stored = await store.findSession(ctx.db, caller.agentId, threadRootId);
    if (stored === undefined) throw new Error("The session was not stored.");
    return publishSession(ctx, stored);
  });
}

interface Setting {
  body: SetSessionBody;
  name: string;
  channel: Channel;
  agentId: number;
  now: number;
}

/** Returns the row to store; null if nothing changes. */
function changed(
  before: store.SessionWithCard | undefined,
  { body, name, channel, agentId, now }: Setting,
): Parameters<typeof store.storeSession>[1] | null {
  const { state, thread_root_id } = body;
  const title = body.title === undefined ? (before?.title ?? null) : optionalText(oneLine(body.title ?? ""));
  const goesOn = before !== undefined && before.state === state && before.gone_at === null;
  if (goesOn && before.title === title && before.agent_name === name) return null;
  return {
    agent_id: agentId,
    agent_name: name,
    channel_id: channel.id,
    thread_root_id,
    title,
    state,
    since: goesOn ? before.since : now,
    gone_at: null,
  };
}

/** Tells the channel of a session, after the commit. */
export function publishSession(ctx: AppContext, row: store.SessionWithCard): AgentSession {
  const record = sessionRecord(row);
  publishEvent(ctx, channelTopic(row.channel_id), "agent:session", record);
  return record;
}

/** Ends the work of an agent in a thread, in the caller's transaction. Returns false if it does not work there. */
export async function failSession(
  ctx: AppContext,
  { agentId, channelId, rootId }: { agentId: number; channelId: number; rootId: number },
): Promise<boolean> {
  const row = await store.findSession(ctx.db, agentId, rootId);
  if (row?.state !== "working" || row.channel_id !== channelId) return false;
  const { agent_name, title } = row;
  const place = { agent_id: agentId, channel_id: channelId, thread_root_id: rootId };
  const since = ctx.clock.now();
  await store.storeSession(ctx.db, { ...place, agent_name, title, state: "failed", since, gone_at: null });
  publishSession(ctx, { ...row, state: "failed", since, gone_at: null });
  return true;
}

type SessionsPage = OffsetPage & { sessions: AgentSession[] };

/** Lists the sessions in a channel, newest first. Errors: those of `readableChannel`. */
export async function sessionsIn(
  ctx: AppContext,
  caller: Identity,
  channelId: number,
  query: AgentSessionsQuery,
): Promise<SessionsPage> {
  const { id } = await readableChannel(ctx, caller, { id: channelId });
  const { shown, ...page } = await pageOf(ctx, { channelId: id }, query);
  return { ...page, sessions: shown.map(sessionRecord) };
}

/**
 * Lists the sessions in the channels that the caller belongs to, newest first, and to an agent also its own. A page may
 * be shorter than its limit: it leaves out channels that the caller may no longer read.
 */
export async function sessionsOf(
  ctx: AppContext,
  caller: Exclude<Identity, { kind: "guest" }>,
  query: AgentSessionsQuery,
): Promise<SessionsPage> {
  const only = channelsInScope(caller);
  const listed =
    caller.kind === "user"
      ? { userId: caller.userId }
      : { agentId: caller.agentId, only: only === null ? null : [...only] };
  const { shown, ...page } = await pageOf(ctx, listed, query);
  const mayRead = new Map<number, boolean>();
  for (const { channel_id: id } of shown) if (!mayRead.has(id)) mayRead.set(id, await isReadable(ctx, caller, id));
  return { ...page, sessions: shown.filter(({ channel_id }) => mayRead.get(channel_id)).map(sessionRecord) };
}

const pageOf = (ctx: AppContext, listed: store.Listed, { limit = SESSIONS_PAGE, offset, state }: AgentSessionsQuery) =>
  pageByOffset({ limit: Math.min(limit, SESSIONS_PAGE), offset }, (page) =>
    store.listSessions(ctx.db, listed, (state?.split(",") ?? []) as store.DerivedState[], page),
  );

async function isReadable(ctx: AppContext, caller: Identity, channelId: number): Promise<boolean> {
  try {
    const channel = await readableChannel(ctx, caller, { id: channelId });
    // An administrator may read more than the channels they are in, which is for a reason and is audited.
    return !channel.isPrivate || (await membershipOf(ctx, caller, channel)) !== null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return false;
  }
}
