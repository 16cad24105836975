import { RATES } from "@parley/protocol/limits";
import type { SendMessagesBody } from "@parley/protocol/messages";
import { isBlank } from "../base/visible-text.ts";
import { writableChannel } from "../channels/access/access.ts";
import { type Channel, refOf } from "../channels/channel.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import type { UserIdentity } from "../http/identity.ts";
import { rateLimited } from "../http/rates.ts";
import { appendMany, type SentTogether } from "./append/append-many.ts";
import type { Draft } from "./append/draft.ts";
import { checkContent, checkedDraft } from "./append/post-message.ts";

/**
 * Sends the parts of a user's long text in one transaction, with consecutive `seq`: all or none (protocol §4). Each counts as
 * a message for the rate and slow mode. An `Idempotency-Key` stands for the keys that parts lack. Errors: those of
 * `postMessage`.
 */
export async function sendMany(
  ctx: AppContext,
  caller: UserIdentity,
  body: SendMessagesBody,
  idempotencyKey: string | null,
): Promise<SentTogether & { channel: Channel }> {
  for (const { content } of body.messages) {
    if (isBlank(content)) throw fail("content_required");
    checkContent(content);
  }
  const channel = await writableChannel(ctx, caller, refOf(body));
  // The request has taken one already.
  for (let sent = 1; sent < body.messages.length; sent += 1) {
    const taken = await ctx.limiter.take(RATES.userSend, caller.key);
    if (!taken.allowed) throw rateLimited(taken);
  }
  const drafts: Draft[] = [];
  for (const [at, part] of body.messages.entries()) {
    drafts.push(
      await checkedDraft(ctx, {
        caller,
        channel,
        content: part.content,
        clientMsgId: part.client_msg_id ?? (idempotencyKey === null ? null : `${idempotencyKey}#${at + 1}`),
        replyToId: part.reply_to_id,
        threadRootId: body.thread_root_id,
        alsoInChannel: body.also_in_channel,
        linkPreviews: body.link_previews,
      }),
    );
  }
  return { channel, ...(await appendMany(ctx, caller, channel, drafts)) };
}
