import { RATES } from "@parley/protocol/limits";
import { STREAMS_PER_AGENT } from "@parley/protocol/stream-limits";
import type { StreamStartBody } from "@parley/protocol/streams";
import { PLATFORM_AGENT } from "../../accounts/names/agent-names.ts";
import { assertRoom } from "../../budgets/budgets.ts";
import { writableChannel } from "../../channels/access/access.ts";
import { type Channel, type NamedChannel, refOf } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { lockChannel } from "../../event-log/events.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { rateLimited } from "../../http/rates.ts";
import { checkReply } from "../../messages/append/check-reply.ts";
import { missedError } from "../../messages/append/expected-context.ts";
import { sentId } from "../../messages/append/post-message.ts";
import { inTurn } from "../../messages/append/slow-mode.ts";
import { stateUnderLock } from "../../messages/loop-guard/guard-at-write.ts";
import { checkLoopGuard, guardRefusal } from "../../messages/loop-guard/loop-guard.ts";
import { afterAgent } from "../../messages/loop-guard/loop-guard-rules.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { channelTopic } from "../../realtime/topics.ts";
import { lockAgent } from "../agent-control.ts";
import { bindAgentName } from "../name-binding.ts";
import { noteRefusal } from "../silence/announce.ts";
import { withAuthority } from "../stale-context.ts";
import { openStreams } from "./open-streams.ts";
import { startedRecord } from "./stream-record.ts";
import { findByKey, insertStream, openPlacesOf, type StreamRow, writersIn } from "./streams.store.ts";

/** Open streams of a channel that the loop guard counts at most. */
const WRITERS_MAX = 200;

export interface Started {
  row: StreamRow;
  channel: Channel;
  /** True if the same key has started it before. */
  deduplicated: boolean;
}

type StartInput = Omit<StreamStartBody, "channel_slug"> & NamedChannel;

/**
 * Begins a message that its agent writes piece by piece (protocol §12.7). Every check of a send is made here, and the
 * message counts from here on: for the loop guard, whose count includes the open streams of the channel, and for slow
 * mode. The same `client_msg_id` returns the first stream again, whatever has become of it.
 * Errors: those of `sendAsAgent` that do not concern the text, `stream_limit_reached`, `budget_exhausted`.
 */
export async function startStream(ctx: AppContext, caller: AgentIdentity, body: StartInput): Promise<Started> {
  if (body.also_in_channel === true && body.thread_root_id == null)
    throw fail("invalid_request", { details: [{ path: "also_in_channel", message: "requires thread_root_id" }] });
  const channel = await writableChannel(ctx, caller, refOf(body));
  const burst = await ctx.limiter.take(RATES.agentBurst, `${caller.key}:${channel.id}`);
  if (!burst.allowed) throw rateLimited(burst);
  const agentName = await bindAgentName(ctx, caller.agentId, body.agent_name ?? PLATFORM_AGENT);
  const before = await findByKey(ctx.db, caller.agentId, body.client_msg_id);
  if (before !== undefined) return repeated(before, channel, body);
  if ((await sentId(ctx, caller, body.client_msg_id)) !== null) throw fail("idempotency_conflict");
  const start = () => startNow(ctx, caller, { body, channel, agentName });
  try {
    return channel.slow_mode_seconds === 0
      ? await start()
      : await inTurn(ctx, { caller, channel, clientKey: null }, start);
  } catch (error) {
    noteRefusal(ctx, caller.agentId, channel, error);
    throw await withAuthority(ctx, caller, error);
  }
}

interface Start {
  body: StartInput;
  channel: Channel;
  agentName: string;
}

async function startNow(ctx: AppContext, caller: AgentIdentity, { body, channel, agentName }: Start): Promise<Started> {
  await checkStart(ctx, caller, channel, body);
  return transact(ctx, async (ctx) => {
    // Serializes the starts of one agent.
    await lockAgent(ctx, caller.agentId);
    const before = await findByKey(ctx.db, caller.agentId, body.client_msg_id);
    if (before !== undefined) return repeated(before, channel, body);
    const open = await openPlacesOf(ctx.db, caller.agentId);
    const root = body.thread_root_id ?? null;
    const isTaken = open.some((place) => place.channel_id === channel.id && place.thread_root_id === root);
    if (isTaken || open.length >= STREAMS_PER_AGENT) throw fail("stream_limit_reached");
    await assertRoom(ctx, caller.agentId, open.length);
    await assertMaySpeak(ctx, caller, channel);
    const now = ctx.clock.now();
    const row = await insertStream(ctx.db, {
      agent_id: caller.agentId,
      key_id: caller.keyId,
      channel_id: channel.id,
      agent_name: agentName,
      client_msg_id: body.client_msg_id,
      reply_to_id: body.reply_to_id ?? null,
      thread_root_id: body.thread_root_id ?? null,
      also_in_channel: body.also_in_channel === true ? 1 : 0,
      state: "open",
      content: "",
      length: 0,
      created_at: now,
      appended_at: now,
    });
    publishControl(ctx, "stream_opened", { channelId: channel.id, streamId: row.id });
    publishEvent(ctx, channelTopic(channel.id), "stream:start", startedRecord(row));
    return { row, channel, deduplicated: false };
  });
}

/** Makes the checks of a send that depend on what is said, and when. */
async function checkStart(ctx: AppContext, caller: AgentIdentity, channel: Channel, body: StartInput): Promise<void> {
  const { reply_to_id: replyToId, thread_root_id: threadRootId, expected_last_seq: expected } = body;
  if (replyToId != null || threadRootId != null || channel.agent_policy === "mention_only")
    await checkReply(ctx, { caller, channel, replyToId, threadRootId }, null);
  if (channel.directAgent === null) {
    const isQuiet = !openStreams(ctx).mayHave(channel.id);
    const writers = isQuiet ? [] : await writersIn(ctx.db, channel.id, WRITERS_MAX);
    await checkLoopGuard(ctx, channel.id, caller.agentId, writers);
  }
  if (expected == null) return;
  const place = { channelId: channel.id, channelSlug: channel.slug, agentId: caller.agentId };
  const stale = await missedError(ctx, { ...place, expected });
  if (stale !== null) throw stale;
}

/**
 * Decides on the loop guard under the channel's lock: the streams and messages that it counts are then the newest that
 * there can be.
 */
async function assertMaySpeak(ctx: AppContext, { agentId }: AgentIdentity, channel: Channel): Promise<void> {
  if (channel.directAgent !== null || ctx.config.agentLoopLimit === 0) return;
  await lockChannel(ctx, channel.id);
  const now = ctx.clock.now();
  const writers = await writersIn(ctx.db, channel.id, WRITERS_MAX);
  const state = writers.reduce(
    (before, { id, name }) => afterAgent(before, id, name, now),
    await stateUnderLock(ctx, channel.id),
  );
  const refusal = guardRefusal(state, agentId, ctx.config.agentLoopLimit, now);
  if (refusal !== null) throw refusal;
}

/** Returns a stream to a repeated start. Errors: `idempotency_conflict` if this one is not the same. */
function repeated(row: StreamRow, channel: Channel, body: StartInput): Started {
  const isSame =
    row.channel_id === channel.id &&
    row.reply_to_id === (body.reply_to_id ?? null) &&
    row.thread_root_id === (body.thread_root_id ?? null);
  if (!isSame) throw fail("idempotency_conflict");
  return { row, channel, deduplicated: true };
}
