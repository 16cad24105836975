import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { owedPreviews } from "../link-previews.ts";
import { mentionedBy, NOBODY } from "../mentions/resolve-mentions.ts";
import { findMessage } from "../messages.store.ts";
import { appendQueue, appendWithin } from "./append.ts";
import { isStored, refusalOf } from "./check-reply.ts";
import { messageOf } from "./draft.ts";
import { checkContent, type Posted, posted } from "./post-message.ts";

/** A message that an incoming webhook brings. The webhook's slice has checked its secret and its rate. */
export interface WebhookPost {
  channel: Channel;
  webhook: { id: number; name: string; allowsMentions: boolean };
  content: string;
  clientMsgId: string | null;
  threadRootId: number | null;
}

/**
 * Posts the message of an incoming webhook. To the loop guard its sender is no person, and slow mode does not hold it:
 * it has a rate of its own.
 * Errors: `content_required`, `message_too_long`, `message_not_found`, `not_a_thread_root`, `message_deleted`,
 * `thread_locked`, `idempotency_conflict`, `overloaded`.
 */
export async function postWebhookMessage(ctx: AppContext, post: WebhookPost): Promise<Posted> {
  const { channel, webhook, content, clientMsgId, threadRootId } = post;
  const clientKey = clientMsgId === null ? null : `w${webhook.id}:${clientMsgId}`;
  checkContent(content);
  if (threadRootId !== null) {
    const refusal = refusalOf(await findMessage(ctx.db, threadRootId), channel.id, false);
    // A retry passes whatever has happened to the thread since.
    if (refusal !== null && !(await isStored(ctx, clientKey))) throw refusal;
  }
  if (channel.direct !== null) throw fail("forbidden");
  const mentioned = webhook.allowsMentions ? await mentionedBy(ctx, channel, content) : NOBODY;
  const draft = messageOf({
    channel,
    content,
    sender_type: "system",
    sender_name: webhook.name,
    client_msg_id: clientMsgId,
    client_key: clientKey,
    mentioned,
    thread_root_id: threadRootId,
    webhook_id: webhook.id,
    previews: owedPreviews(ctx, channel, content),
  });
  const { row, json, deduplicated } = await appendQueue(ctx).add(draft);
  return posted(row, channel.slug, json, deduplicated);
}

/**
 * Posts the message that shows a red packet and its greeting, in the transaction that creates the packet, so that
 * neither exists without the other. An `@` in a greeting mentions nobody. Returns the message id. Errors:
 * `channel_not_found`.
 */
export async function postPacketMessage(
  ctx: AppContext,
  {
    caller,
    channel,
    packetId,
    greeting,
  }: { caller: UserIdentity; channel: Channel; packetId: number; greeting: string },
): Promise<number> {
  const draft = messageOf({
    channel,
    type: "red_packet",
    content: greeting,
    sender_type: "user",
    user_id: caller.userId,
    sender_name: caller.username,
    packet_id: packetId,
  });
  const { row } = await appendWithin(ctx, draft);
  return row.id;
}
