import type { ChatMessage } from "@parley/protocol/models";
import type { AgentCreatePollBody, CreatePollBody, CreatePollResponse } from "@parley/protocol/poll-calls";
import { bindAgentName } from "../agents/name-binding.ts";
import { speakerOf } from "../agents/speaker.ts";
import { isoTimeOrNull } from "../base/iso-time.ts";
import { writableChannel } from "../channels/access/access.ts";
import { refOf } from "../channels/channel.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import type { AgentIdentity, UserIdentity } from "../http/identity.ts";
import { postMessage } from "../messages/append/post-message.ts";
import { cardOf } from "./poll-record.ts";
import { checkPoll, contentOf, newPoll } from "./poll-rules.ts";
import { insertPoll } from "./polls.store.ts";

/**
 * Posts a message that shows a new poll (protocol §13.7). All rules of a send hold; a repetition with the same key returns
 * the first one, as it is now. `key` is used if the body has no `client_msg_id`.
 * Errors: those of `writableChannel` and `postMessage`, `invalid_poll`; of agents `agent_name_required`,
 * `invalid_agent_name`, `agent_name_taken`.
 */
export async function createPoll(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  body: CreatePollBody | AgentCreatePollBody,
  key: string | null,
): Promise<Omit<CreatePollResponse, "success">> {
  const asked = checkPoll(body);
  const channel = await writableChannel(ctx, caller, refOf(body));
  const agentName = caller.kind === "agent" ? await speakerIn(ctx, caller, body) : undefined;
  const closesAt = body.closes_in == null ? null : ctx.clock.now() + body.closes_in * 1_000;
  const { id, seq, json, deduplicated } = await postMessage(ctx, {
    caller,
    channel,
    content: contentOf(asked),
    clientMsgId: body.client_msg_id ?? key,
    replyToId: body.reply_to_id,
    threadRootId: body.thread_root_id,
    alsoInChannel: body.also_in_channel,
    agentName,
    feature: {
      json: cardOf(newPoll(asked, isoTimeOrNull(closesAt))),
      fingerprint: JSON.stringify(["poll", asked, body.closes_in ?? null]),
      question: null,
      store: (ctx, { id, channel_id }) =>
        insertPoll(ctx.db, { message_id: id, channel_id, closes_at: closesAt, closed_at: null }),
    },
  });
  const { poll } = JSON.parse(json) as ChatMessage;
  // It was sent before, and its message is deleted by now.
  if (poll === undefined) throw fail("message_deleted");
  const mine = caller.kind === "user" ? (poll.my_votes ?? []) : null;
  return { poll: { ...poll, my_votes: mine }, message_id: id, seq, deduplicated };
}

async function speakerIn(ctx: AppContext, caller: AgentIdentity, body: CreatePollBody | AgentCreatePollBody) {
  const given = "agent_name" in body ? body.agent_name : null;
  return bindAgentName(ctx, caller.agentId, await speakerOf(ctx, caller.agentId, given));
}
