import { RATES } from "@parley/protocol/limits";
import type { SendManyBody } from "@parley/protocol/streams";
import { PLATFORM_AGENT } from "../accounts/names/agent-names.ts";
import { isBlank } from "../base/visible-text.ts";
import { writableChannel } from "../channels/access/access.ts";
import { type Channel, type NamedChannel, refOf } from "../channels/channel.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import type { AgentIdentity } from "../http/identity.ts";
import { rateLimited } from "../http/rates.ts";
import { appendMany, type SentTogether } from "../messages/append/append-many.ts";
import type { Draft } from "../messages/append/draft.ts";
import { checkContent, checkedDraft } from "../messages/append/post-message.ts";
import { bindAgentName } from "./name-binding.ts";
import { noteRefusal } from "./silence/announce.ts";

export interface SentMany extends SentTogether {
  channel: Channel;
  agentName: string;
}

/**
 * Sends the parts of one long answer in one transaction, with consecutive `seq`: all or none (protocol §12.7). Each counts
 * as a message: for the rates, the loop guard and slow mode. An `Idempotency-Key` stands for the keys that parts lack.
 * Errors: those of `sendAsAgent`.
 */
export async function sendMany(
  ctx: AppContext,
  caller: AgentIdentity,
  body: Omit<SendManyBody, "channel_slug"> & NamedChannel,
  idempotencyKey: string | null,
): Promise<SentMany> {
  for (const { message } of body.messages) {
    if (isBlank(message)) throw fail("message_required");
    checkContent(message);
  }
  const channel = await writableChannel(ctx, caller, refOf(body));
  try {
    return await sendTo(ctx, caller, channel, body, idempotencyKey);
  } catch (error) {
    noteRefusal(ctx, caller.agentId, channel, error);
    throw error;
  }
}

async function sendTo(
  ctx: AppContext,
  caller: AgentIdentity,
  channel: Channel,
  body: Omit<SendManyBody, "channel_slug">,
  idempotencyKey: string | null,
): Promise<SentMany> {
  await takeRates(ctx, caller, channel.id, body.messages.length);
  const agentName = await bindAgentName(ctx, caller.agentId, body.agent_name ?? PLATFORM_AGENT);
  const drafts: Draft[] = [];
  for (const [at, part] of body.messages.entries()) {
    const own = part.client_msg_id ?? (idempotencyKey === null ? null : `${idempotencyKey}#${at + 1}`);
    drafts.push(
      await checkedDraft(ctx, {
        caller,
        channel,
        content: part.message,
        agentName,
        clientMsgId: own,
        replyToId: part.reply_to_id,
        threadRootId: body.thread_root_id,
        alsoInChannel: body.also_in_channel,
        linkPreviews: body.link_previews,
        pendingAgents: drafts.map(() => ({ id: caller.agentId, name: agentName })),
      }),
    );
  }
  return { channel, agentName, ...(await appendMany(ctx, caller, channel, drafts)) };
}

/** Counts each message. The request has taken one from the quota of the minute already. */
async function takeRates(ctx: AppContext, caller: AgentIdentity, channelId: number, messages: number): Promise<void> {
  for (let sent = 0; sent < messages; sent += 1) {
    const burst = await ctx.limiter.take(RATES.agentBurst, `${caller.key}:${channelId}`);
    if (!burst.allowed) throw rateLimited(burst);
    if (sent === 0) continue;
    const minute = await ctx.limiter.take(RATES.agentSend, caller.key);
    if (!minute.allowed) throw rateLimited(minute);
  }
}
