import { createHash } from "node:crypto";
import type { ForwardBody } from "@parley/protocol/forwards";
import { isBlank } from "../base/visible-text.ts";
import { writableChannel } from "../channels/access/access.ts";
import { type Channel, type ChannelRef, refOf } from "../channels/channel.ts";
import { findChannel } from "../channels/channel-cache.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import type { StoredCard } from "../event-log/stored-card.ts";
import { copyFiles, dropCopies } from "../files/copies.ts";
import { filesToSend } from "../files/sending.ts";
import type { Identity, UserIdentity } from "../http/identity.ts";
import { appendQueue } from "../messages/append/append.ts";
import { type Draft, fileIdsOf } from "../messages/append/draft.ts";
import {
  checkContent,
  clientKey,
  draftOf,
  type Posted,
  posted,
  postedBefore,
  sentId,
} from "../messages/append/post-message.ts";
import { inTurn } from "../messages/append/slow-mode.ts";
import { storeCalls } from "../messages/mentions/here.ts";
import { type Mentioned, mentionedIn } from "../messages/mentions/resolve-mentions.ts";
import { storedMessage } from "../messages/message-hooks.ts";
import { readableMessage } from "../messages/messages.service.ts";
import { ownRecord } from "../messages/own-fields.ts";
import { contentOf } from "./forward-copy.ts";
import { forwardsOf, holdChannels } from "./forwards.store.ts";
import { type ForwardStep, postFrom, readSource, type Source } from "./source.ts";

/** A message that the caller forwards. */
interface Forwarding {
  caller: UserIdentity;
  messageId: number;
  channel: Channel;
  /** Empty: none. */
  comment: string;
  /** Only the comment mentions somebody: the copied text notifies nobody, and no agent acts on it. */
  mentioned: Mentioned;
  clientMsgId: string | null;
}

/**
 * Sends a message on to another channel (protocol §13.15). The caller must be able to read it when the new one is stored,
 * and to send there.
 * Errors: those of `readableMessage`, `readSource`, `writableChannel`, `copyFiles`, `storeCalls` and of a send.
 */
export async function forward(
  ctx: AppContext,
  caller: UserIdentity,
  messageId: number,
  { comment: given, client_msg_id, ...body }: ForwardBody,
  key: string | null = null,
): Promise<Posted> {
  const comment = given == null || isBlank(given) ? "" : given;
  checkContent(comment, true);
  const clientMsgId = client_msg_id ?? key;
  await holdInOrder(ctx, messageId, refOf(body));
  const sent = clientMsgId === null ? null : await sentId(ctx, caller, clientMsgId);
  // A repetition gets its answer, whatever has happened to the source since.
  if (sent === null) await assertReadable(ctx, caller, messageId);
  const channel = await writableChannel(ctx, caller, refOf(body));
  const mentioned = await mentionedIn(ctx, channel, caller, comment);
  const forwarding = { caller, messageId, channel, comment, mentioned, clientMsgId };
  if (sent !== null) return repeated(ctx, forwarding, sent);
  const client_key = clientMsgId === null ? null : clientKey(caller, clientMsgId);
  const calling = { channel_id: channel.id, client_key, mentioned };
  const post = () => storeCalls(ctx, caller, [calling], () => postForward(ctx, forwarding));
  if (channel.slow_mode_seconds === 0) return post();
  return inTurn(ctx, { caller, channel, clientKey: client_key }, post);
}

/** If rights are decided again, has all channels held in order first: the checks would hold them one after the other. */
export async function holdInOrder(ctx: AppContext, messageId: number, ref: ChannelRef): Promise<void> {
  const source = await storedMessage(ctx, messageId);
  const target = ref.id === undefined && ref.slug === undefined ? null : await findChannel(ctx, ref);
  const [from] = await forwardsOf(ctx.db, [messageId]);
  const ids = [source?.channel_id, from?.source_channel_id, target?.id].filter((id) => id !== undefined);
  if (ids.length > 1) ctx.act?.remember((ctx) => holdChannels(ctx.db, ids));
}

/**
 * Checks that the caller may read the message, now and in the transaction that stores the new one, and that it can be
 * forwarded. Errors: those of `readableMessage` and `readSource`.
 */
export async function assertReadable(ctx: AppContext, caller: Identity, messageId: number): Promise<void> {
  const { channel } = await readableMessage(ctx, caller, messageId);
  ctx.act?.remember((ctx, caller) => readableMessage(ctx, caller, messageId), channel.id);
  await readSource(ctx, messageId);
}

async function repeated(ctx: AppContext, forwarding: Forwarding, id: number): Promise<Posted> {
  const row = await storedMessage(ctx, id);
  if (row === undefined) throw fail("overloaded", { retryAfter: 1 });
  if (row.client_hash !== hashOf(forwarding)) throw fail("idempotency_conflict");
  return postedBefore(ctx, forwarding.caller, row, forwarding.channel.slug);
}

/** Two requests with the same hash are the same: what the source says meanwhile does not count. */
const hashOf = ({ messageId, channel, comment }: Forwarding): string =>
  createHash("sha256")
    .update(JSON.stringify(["forward", messageId, channel.id, comment]))
    .digest("base64");

const postForward = (ctx: AppContext, forwarding: Forwarding): Promise<Posted> =>
  postFrom(ctx, forwarding.messageId, (source, step) => postOnce(ctx, forwarding, source, step));

/** Posts the message with copies of the source's files, which are removed if it is not stored. */
async function postOnce(ctx: AppContext, forwarding: Forwarding, source: Source, step: ForwardStep): Promise<Posted> {
  const { caller, channel } = forwarding;
  const originals = fileIdsOf(source.files);
  const fileIds = originals.length === 0 ? [] : await copyFiles(ctx, caller, originals);
  let isStored = false;
  try {
    const draft = await draftFor(ctx, forwarding, source, fileIds);
    draft.step = step;
    const { row, json, deduplicated } = await appendQueue(ctx).add(draft);
    isStored = !deduplicated;
    const own = deduplicated ? await ownRecord(ctx, caller, row, json) : json;
    return posted(row, channel.slug, own, deduplicated);
  } finally {
    // Files that a message has got stay.
    if (!isStored) await dropCopies(ctx, caller, fileIds);
  }
}

async function draftFor(
  ctx: AppContext,
  forwarding: Forwarding,
  { copy }: Source,
  fileIds: readonly number[],
): Promise<Draft> {
  const { caller, channel, comment, mentioned, clientMsgId } = forwarding;
  const files = fileIds.length === 0 ? null : JSON.stringify(await filesToSend(ctx, caller, fileIds, caller.username));
  const forwarded = { ...copy, comment_length: comment.length };
  const card = { json: JSON.stringify({ forwarded } satisfies StoredCard), fingerprint: "forward", question: null };
  const input = { caller, channel, content: contentOf(comment, copy), clientMsgId };
  const draft = draftOf(ctx, input, { mentioned, thread: null, files, card });
  if (clientMsgId !== null) draft.client_hash = hashOf(forwarding);
  return draft;
}
