import type { LinkPreview } from "@parley/protocol/previews";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { addReference, keepSmallPicture } from "../files/pictures/foreign-picture.ts";
import { dropReferences } from "../files/removal.ts";
import * as store from "./previews.store.ts";

const ADDRESS = "/api/preview-pictures/";

/** Returns the ids of the pictures that previews show. */
export const pictureIdsOf = (previews: readonly Pick<LinkPreview, "image_url">[]): string[] =>
  previews.flatMap(({ image_url }) => (image_url === null ? [] : [image_url.slice(ADDRESS.length)]));

const newId = (ctx: AppContext): string => Buffer.from(ctx.clock.random(16)).toString("hex");

/** Stores a copy of a page's picture for the messages with its link. Returns its id; null: it cannot be shown, `later`: not now. */
export async function keepPagePicture(
  ctx: AppContext,
  bytes: Uint8Array,
  owner: string,
): Promise<string | null | "later"> {
  const id = newId(ctx);
  const kept = await keepSmallPicture(ctx, { account: owner, bytes }, (small) =>
    transact(ctx, async (ctx) => {
      const key = await addReference(ctx, small);
      await store.insertPicture(ctx.db, { id, ...small, message_id: null, created_at: ctx.clock.now() });
      return key;
    }),
  );
  return kept === null || kept === "later" ? kept : id;
}

/**
 * Gives a message its own reference to a page's picture, in the caller's transaction: it ends with the message, whatever
 * other messages have the same link. Returns its address; null if the page's picture is gone.
 */
export async function copyPicture(ctx: AppContext, pictureId: string, messageId: number): Promise<string | null> {
  const of = await store.findPicture(ctx.db, pictureId);
  if (of === undefined) return null;
  const { sha256, size_bytes } = of;
  const id = newId(ctx);
  await addReference(ctx, { sha256, size_bytes });
  await store.insertPicture(ctx.db, { id, sha256, size_bytes, message_id: messageId, created_at: ctx.clock.now() });
  return ADDRESS + id;
}

/** Ends the access to the pictures of messages, in the caller's transaction, except to those of `kept`. */
export async function removePictures(
  ctx: AppContext,
  messageIds: readonly number[],
  kept: readonly string[] = [],
): Promise<void> {
  if (messageIds.length > 0) await release(ctx, await store.deletePictures(ctx.db, messageIds, kept));
}

/** Gives back the references of pictures that were deleted. */
export async function release(ctx: AppContext, pictures: readonly store.PictureRow[]): Promise<void> {
  const counts = new Map<string, number>();
  for (const { sha256 } of pictures) counts.set(sha256, (counts.get(sha256) ?? 0) + 1);
  if (counts.size > 0) await dropReferences(ctx, counts);
}
