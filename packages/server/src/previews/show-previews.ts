import { createHash } from "node:crypto";
import type { LinkPreview } from "@parley/protocol/previews";
import { findChannel } from "../channels/channel-cache.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { appendEvent, tryLockChannel } from "../event-log/events.ts";
import { forgivePreviews, linksToShow, mayPreview, OWED, storedPreviews } from "../messages/link-previews.ts";
import { changeStored, storedMessage } from "../messages/message-hooks.ts";
import { copyPicture } from "./pictures.ts";
import * as store from "./previews.store.ts";

/** For so long a page is not fetched again. */
export const PAGE_MS = 24 * 3_600_000;

/** Returns the key of a page: the fragment is never sent, so it is no part of it. */
export function hashOf(link: string): string {
  const url = new URL(link);
  url.hash = "";
  return createHash("sha256").update(url.href).digest("hex");
}

/**
 * Shows the previews of a message that owes them, as far as its links and the channel's settings are still what they were:
 * all of it is decided again under the channel's lock. `isLate`: links that were not fetched are not waited for.
 */
export function showPreviews(
  root: AppContext,
  { id, channel_id }: Pick<store.OwingMessage, "id" | "channel_id">,
  isLate: boolean,
): Promise<void> {
  return transact(root, async (ctx) => {
    // The channel is deleted: it has no readers. If it is restored, its messages are as they were.
    if (!(await tryLockChannel(ctx, channel_id))) return forgivePreviews(ctx, [id]);
    const row = await storedMessage(ctx, id);
    const channel = await findChannel(ctx, { id: channel_id });
    if (row === undefined || row.previews !== OWED) return;
    const links = channel !== null && mayPreview(ctx, channel) ? linksToShow(ctx.config, row.content) : [];
    const after = ctx.clock.now() - PAGE_MS;
    const pages = new Map((await store.pagesOf(ctx.db, links.map(hashOf), after)).map((page) => [page.url_hash, page]));
    // An edit has brought a link that was not fetched.
    if (!isLate && links.some((link) => (pages.get(hashOf(link))?.fetched_at ?? null) === null)) return;
    const shown: LinkPreview[] = [];
    for (const link of links) {
      const page = pages.get(hashOf(link));
      if (page !== undefined) shown.push(...(await previewOf(ctx, link, page, id)));
    }
    const previews = storedPreviews(shown);
    await changeStored(ctx, id, { previews });
    if (previews === null) return;
    const message = { row: { ...row, previews }, channelSlug: channel?.slug ?? "" };
    await appendEvent(ctx, channel_id, "message:preview", { data: { message_id: id }, message });
  });
}

async function previewOf(
  ctx: AppContext,
  url: string,
  { title, description, site_name, picture_id }: store.PageRow,
  messageId: number,
): Promise<LinkPreview[]> {
  if (title === null) return [];
  const image_url = picture_id === null ? null : await copyPicture(ctx, picture_id, messageId);
  return [{ url, title, description, site_name, image_url }];
}
