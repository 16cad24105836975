import type {
  AgentLoginBody,
  AgentLogoutBody,
  AgentMessagesQuery,
  AgentSendBody,
  AgentTypingBody,
} from "@parley/protocol/agents";
import { RATES, USER_LIST_MAX } from "@parley/protocol/limits";
import type { ChatMessage } from "@parley/protocol/models";
import { agentNameOf, invalidAgentName, PLATFORM_AGENT } from "../accounts/names/agent-names.ts";
import { nameKey } from "../accounts/names/names.ts";
import { isBlank } from "../base/visible-text.ts";
import { readableChannel, writableChannel } from "../channels/access/access.ts";
import { assertNotBanned } from "../channels/bans/bans.ts";
import { type Channel, type NamedChannel, refOf } from "../channels/channel.ts";
import { joinChannel } from "../channels/members/join.service.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { lastSeq } from "../event-log/feed/feed.ts";
import type { HistoryPage } from "../event-log/feed/feed-memory.ts";
import type { AgentIdentity } from "../http/identity.ts";
import { rateLimited } from "../http/rates.ts";
import { addActivity, cleanActivity } from "../messages/activity/activity.ts";
import type { PostInput } from "../messages/append/post-input.ts";
import { checkContent, mayBeEmpty, type Posted, postMessage, sendFields } from "../messages/append/post-message.ts";
import { historyFor, plainPage } from "../messages/history/history.service.ts";
import { readThread } from "../messages/threads/threads.service.ts";
import type { Pay } from "../payments/pay/transports.ts";
import { publishTyping } from "../realtime/presence/typing.ts";
import { onlineUsers } from "../realtime/presence/user-list.ts";
import { channelTopic } from "../realtime/topics.ts";
import { loginAgent, logoutAgent } from "./agent-presence.ts";
import { poll } from "./events/long-poll.ts";
import { bindAgentName, checkNameOf } from "./name-binding.ts";
import { viewOf } from "./prompt/authority.ts";
import { envelope, spokenIn } from "./prompt/envelope.ts";
import { pageWithAuthority } from "./prompt/page-authority.ts";
import { type Envelope, MESSAGES_OF } from "./prompt/render-context.ts";
import { noteRefusal } from "./silence/announce.ts";
import { withAuthority } from "./stale-context.ts";

/** The body of a call, with the channel named as a command names it. */
type OnChannel<Body extends { channel_slug: string }> = Omit<Body, "channel_slug"> & NamedChannel;

/**
 * Shows the agent online in the channel; idempotent (protocol §5). The right `password` admits it to a private channel.
 * Errors: those of `joinChannel`, `invalid_agent_name`, `agent_name_taken`.
 */
export async function enterAsAgent(
  ctx: AppContext,
  caller: AgentIdentity,
  body: OnChannel<AgentLoginBody>,
  pay: Pay,
): Promise<{ channel: Channel; name: string; refetchToken?: string | undefined }> {
  // First, because a login that is refused for its name must not have joined, or paid.
  await checkNameOf(ctx, caller.agentId, body.agent_name);
  const { channel, refetchToken } = await joinChannel(ctx, caller, refOf(body), body.password, pay);
  const name = await bindAgentName(ctx, caller.agentId, body.agent_name);
  await loginAgent(ctx, caller.agentId, channel.id, name);
  await refuseLate(ctx, caller, channel.id);
  return { channel, name, refetchToken };
}

/** Shows the agent online and returns the channel's position. Errors: those of `enterAsAgent`. */
export async function login(ctx: AppContext, caller: AgentIdentity, body: AgentLoginBody, pay: Pay) {
  const { channel, name, refetchToken } = await enterAsAgent(ctx, caller, body, pay);
  const [online] = await ctx.presence.counts([channel.id]);
  return {
    channel_slug: channel.slug,
    channel_id: channel.id,
    agent_name: name,
    agent_id: caller.agentId,
    count: online?.count ?? 0,
    guest_count: online?.guests ?? 0,
    users: await onlineUsers(ctx, channel.id, USER_LIST_MAX),
    last_seq: await lastSeq(ctx, channel.id),
    epoch: ctx.epoch,
    ...(refetchToken === undefined ? {} : { refetchToken }),
  };
}

/** Logs the agent out if the channel was closed to it while the login ran. */
async function refuseLate(ctx: AppContext, caller: AgentIdentity, channelId: number): Promise<void> {
  try {
    const { agent_policy } = await readableChannel(ctx, caller, { id: channelId });
    await assertNotBanned(ctx, caller, channelId);
    if (agent_policy === "deny") throw fail("agents_not_allowed");
  } catch (error) {
    await logoutAgent(ctx, caller.agentId, { channelId });
    throw error;
  }
}

/**
 * Removes the agent from the online lists it names, or from all if it names none. Errors: those of `readableChannel`.
 */
export async function logout(ctx: AppContext, caller: AgentIdentity, body: AgentLogoutBody) {
  const channel = body.channel_slug == null ? null : await readableChannel(ctx, caller, { slug: body.channel_slug });
  const name = body.agent_name == null ? null : agentNameOf(body.agent_name);
  if (body.agent_name != null && name === null) throw invalidAgentName(body.agent_name);
  const wasOnline = await logoutAgent(ctx, caller.agentId, {
    ...(channel === null ? {} : { channelId: channel.id }),
    ...(name === null ? {} : { nameKey: nameKey(name) }),
  });
  return {
    message: wasOnline ? "The agent is logged out." : "The agent was not logged in.",
    channel_slug: channel?.slug ?? null,
    channel_id: channel?.id ?? null,
    agent_name: name,
    was_online: wasOnline,
  };
}

/**
 * Posts as the agent, under its own name or as `PlatformAgent`. Errors: those of `writableChannel` and `postMessage`,
 * `message_required`, `sticker_not_found`, `invalid_agent_name`, `agent_name_taken`, `rate_limited`.
 */
export async function sendAsAgent(
  ctx: AppContext,
  caller: AgentIdentity,
  body: OnChannel<AgentSendBody>,
  idempotencyKey: string | null = null,
  onQueued?: () => void,
  { contentMax, markup, step }: Pick<PostInput, "contentMax" | "markup" | "step"> = {},
): Promise<Posted> {
  const content = body.message ?? "";
  if (!mayBeEmpty(sendFields(body)) && isBlank(content)) throw fail("message_required");
  checkContent(content, true, contentMax);
  const channel = await writableChannel(ctx, caller, refOf(body));
  const taken = ctx.limiter.take(RATES.agentBurst, `${caller.key}:${channel.id}`);
  const burst = taken instanceof Promise ? await taken : taken;
  if (!burst.allowed) throw rateLimited(burst);
  const bound = bindAgentName(ctx, caller.agentId, body.agent_name ?? PLATFORM_AGENT);
  const agentName = typeof bound === "string" ? bound : await bound;
  try {
    return await postMessage(ctx, {
      caller,
      channel,
      content,
      contentMax,
      markup,
      step,
      ...sendFields(body),
      clientMsgId: body.client_msg_id ?? idempotencyKey,
      card: body,
      expectedLastSeq: body.expected_last_seq,
      agentName,
      usage: body.usage,
      activity: body.activity == null ? undefined : addActivity([], cleanActivity(body.activity)),
      onQueued,
    });
  } catch (error) {
    noteRefusal(ctx, caller.agentId, channel, error);
    throw await withAuthority(ctx, caller, error);
  }
}

/**
 * Shows the agent as thinking in a channel it may write to. Errors: those of `writableChannel`, `invalid_agent_name`,
 * `agent_name_taken`.
 */
export async function showTyping(ctx: AppContext, caller: AgentIdentity, body: OnChannel<AgentTypingBody>) {
  const channel = await writableChannel(ctx, caller, refOf(body));
  const name = await bindAgentName(ctx, caller.agentId, body.agent_name ?? PLATFORM_AGENT);
  const { typing, thread_root_id } = body;
  const thread = thread_root_id == null ? {} : { thread_root_id };
  publishTyping(ctx, channel.id, { kind: "agent", name, typing, ...thread });
  return { channel_slug: channel.slug, channel_id: channel.id, agent_name: name, typing };
}

export interface AgentPage {
  channel: Channel;
  page: HistoryPage;
  nextOffset: number | null;
  /** With `format=context`. */
  envelope: Envelope | null;
}

/**
 * Returns a page of the channel as the agent sees it: each message with `authority`. With `after_seq` and `wait` it
 * waits for a later message.
 * Errors: those of `readableChannel`, `invalid_cursor`; for a thread `message_not_found`, `not_a_thread_root`.
 */
export async function readMessages(
  ctx: AppContext,
  caller: AgentIdentity,
  query: AgentMessagesQuery,
  signal: AbortSignal,
): Promise<AgentPage> {
  const { offset, before, after_seq: afterSeq } = query;
  const read = async () => {
    // Checked each time: a wait may outlive the right to read.
    const channel = await readableChannel(ctx, caller, { slug: query.channel_slug });
    return { channel, page: await pageOf(ctx, caller, channel, query) };
  };
  const first = await read();
  const seconds = afterSeq === undefined || first.page.count > 0 ? 0 : (query.wait ?? 0);
  const topic = channelTopic(first.channel.id);
  const news = seconds === 0 ? null : await poll(ctx, { caller, topic, seconds, signal }, () => orNull(read()));
  const { channel, page } = news ?? first;
  const shown = query.format === "plain" ? plainPage(page) : page;
  const counted = before === undefined && afterSeq === undefined && page.hasMore;
  const { messagesJson, ...seen } = await seenPage(ctx, caller, channel, shown.messagesJson, query);
  return {
    channel,
    page: { ...shown, messagesJson },
    nextOffset: counted ? (offset ?? 0) + page.count : null,
    ...seen,
  };
}

/** Returns a page of the channel, or of one of its threads. */
async function pageOf(
  ctx: AppContext,
  caller: AgentIdentity,
  channel: Channel,
  query: AgentMessagesQuery,
): Promise<HistoryPage> {
  const { limit, offset, before, after_seq: afterSeq, thread_root_id: rootId } = query;
  if (rootId === undefined)
    return historyFor(ctx, caller, channel, {
      limit,
      offset,
      before,
      afterSeq,
      collapses: query.threads === "collapse",
    });
  if (offset !== undefined)
    throw fail("invalid_cursor", { message: "Page through a thread with before or after_seq." });
  const thread = await readThread(ctx, caller, rootId, { limit, before, after_seq: afterSeq });
  if (thread.channel.id !== channel.id) throw fail("message_not_found");
  return thread.page;
}

/** Returns the records with `authority`, and the envelope if the agent wants one. */
async function seenPage(
  ctx: AppContext,
  caller: AgentIdentity,
  channel: Channel,
  messagesJson: string,
  { format, max_chars }: AgentMessagesQuery,
): Promise<{ messagesJson: string; envelope: Envelope | null }> {
  if (format !== "context")
    return { messagesJson: await pageWithAuthority(ctx, caller, channel, messagesJson), envelope: null };
  const view = await viewOf(ctx, caller, JSON.parse(messagesJson) as ChatMessage[]);
  return {
    messagesJson: JSON.stringify(view.messages),
    envelope: envelope(ctx, MESSAGES_OF(channel.slug), spokenIn(view), max_chars),
  };
}

async function orNull<T extends { page: HistoryPage }>(read: Promise<T>): Promise<T | null> {
  const found = await read;
  return found.page.count === 0 ? null : found;
}
