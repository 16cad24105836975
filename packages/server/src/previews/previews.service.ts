import type { LinkPreview } from "@parley/protocol/previews";
import { audit } from "../audit/audit.ts";
import { isByLevel, roleIn } from "../channels/access/access.ts";
import type { Channel } from "../channels/channel.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import { appendEvent, lockChannel } from "../event-log/events.ts";
import { type MessageRow, previewsOf } from "../event-log/message-json.ts";
import { isHidden } from "../files/access.ts";
import { fileResponse } from "../files/serving/file-response.ts";
import { decide } from "../http/acts/act.ts";
import type { AgentIdentity, Identity, UserIdentity } from "../http/identity.ts";
import { hasLevel, MODERATOR } from "../http/site-levels.ts";
import { storedPreviews } from "../messages/link-previews.ts";
import { changeStored, storedMessage } from "../messages/message-hooks.ts";
import { isOwn, readableMessage } from "../messages/messages.service.ts";
import { pictureIdsOf, removePictures } from "./pictures.ts";
import { findPicture } from "./previews.store.ts";

/**
 * Removes one preview of a message and returns those that are left. Allowed for whoever may delete the message. `url`: the
 * link of the preview that the caller saw at this place. Errors: `message_not_found`, `forbidden`, `message_deleted`,
 * `preview_not_found`.
 */
export async function removePreview(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  messageId: number,
  { index, url }: { index: number; url: string | undefined },
): Promise<LinkPreview[]> {
  const { row, channel } = await readableMessage(ctx, caller, messageId);
  const byLevel = await decide(ctx, caller, (ctx, caller) => checkMayRemove(ctx, caller, row, channel), channel.id);
  return transact(ctx, async (ctx) => {
    await lockChannel(ctx, channel.id);
    const before = await storedMessage(ctx, messageId);
    if (before === undefined) throw fail("message_not_found");
    if (before.deleted_at !== null) throw fail("message_deleted");
    const shown = previewsOf(before);
    const removed = shown[index];
    if (removed === undefined || (url !== undefined && removed.url !== url)) throw fail("preview_not_found");
    const left = shown.toSpliced(index, 1);
    const previews = storedPreviews(left);
    await changeStored(ctx, messageId, { previews });
    await removePictures(ctx, [messageId], pictureIdsOf(left));
    const message = { row: { ...before, previews }, channelSlug: channel.slug };
    await appendEvent(ctx, channel.id, "message:preview", { data: { message_id: messageId }, message });
    if (byLevel && caller.kind === "user") await audit(ctx, caller, "preview_remove", `message:${messageId}`);
    return left;
  });
}

/** Returns true if the caller may do so only by their site level. Errors: `forbidden`. */
async function checkMayRemove(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  row: MessageRow,
  channel: Channel,
): Promise<boolean> {
  const byLevel = !isOwn(row, caller) && isByLevel(await roleIn(ctx, caller, channel));
  if (byLevel && !hasLevel(caller, MODERATOR)) throw fail("forbidden");
  return byLevel;
}

/**
 * Returns the answer with the bytes of a picture, to whoever may read the message that shows it now. Errors:
 * `session_required`, `preview_not_found`, and where the channel has a price, those of `readableChannel`.
 */
export async function previewPicture(
  ctx: AppContext,
  caller: Identity,
  id: string,
  request: Request,
): Promise<Response> {
  if (caller.kind === "guest" && !ctx.config.guestRead) throw fail("session_required");
  const picture = await findPicture(ctx.db, id);
  if (picture === undefined || picture.message_id === null) throw fail("preview_not_found");
  const message = await shownMessage(ctx, caller, picture.message_id);
  if (!pictureIdsOf(previewsOf(message)).includes(id)) throw fail("preview_not_found");
  const { sha256, size_bytes: size } = picture;
  return fileResponse(ctx, request, { sha256, size, mimeType: "image/webp", name: "preview.webp" });
}

async function shownMessage(ctx: AppContext, caller: Identity, messageId: number): Promise<MessageRow> {
  try {
    return (await readableMessage(ctx, caller, messageId)).row;
  } catch (error) {
    throw isHidden(error) ? fail("preview_not_found") : error;
  }
}
