import type { OldLinkResponse } from "@parley/protocol/imports";
import { readableChannel } from "../../channels/access/access.ts";
import type { AppContext } from "../../context.ts";
import { AppError, fail } from "../../errors.ts";
import type { Identity } from "../../http/identity.ts";
import { storedMessage } from "../../messages/message-hooks.ts";
import { openedSources } from "../imports.store.ts";
import { idsOfItems } from "../map.store.ts";
import type { OldLink } from "../sources/format.ts";
import { FORMATS } from "../sources/formats.ts";

/** Where a link leads now. */
export type OldPlace = Omit<OldLinkResponse, "success">;

/**
 * Returns where a link of the chat from which a team came leads now. Everybody gets only what they may read; the rest is
 * as if it did not exist.
 * @throws message_not_found, session_required
 */
export async function oldPlace(ctx: AppContext, caller: Identity, text: string): Promise<OldPlace> {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === "https:" || url.protocol === "http:")) {
    const sources = await openedSources(ctx.db);
    for (const { id, oldLink } of FORMATS) {
      const link = oldLink?.(url) ?? null;
      if (link === null) continue;
      for (const source of sources.filter((each) => each.startsWith(`${id}:`))) {
        const place = await placeIn(ctx, caller, source, link);
        if (place !== null) return place;
      }
    }
  }
  throw fail("message_not_found");
}

async function placeIn(
  ctx: AppContext,
  caller: Identity,
  source: string,
  { channelId, messageId }: OldLink,
): Promise<OldPlace | null> {
  const one = async (kind: "message" | "channel", id: string | null) =>
    id === null ? undefined : (await idsOfItems(ctx.db, source, kind, [id])).get(id);
  const found = await one("message", messageId);
  const message = found === undefined ? undefined : await storedMessage(ctx, found);
  const id = message?.channel_id ?? (await one("channel", channelId));
  const slug = id === undefined ? null : await readableSlug(ctx, caller, id);
  if (slug === null) return null;
  return { channel_slug: slug, message_id: message?.id ?? null, thread_root_id: message?.thread_root_id ?? null };
}

/** Returns null for a channel that the caller may not read. */
async function readableSlug(ctx: AppContext, caller: Identity, id: number): Promise<string | null> {
  try {
    return (await readableChannel(ctx, caller, { id })).slug;
  } catch (error) {
    if (error instanceof AppError && error.code !== "session_required" && error.status < 500) return null;
    throw error;
  }
}

/** Returns the address in the page of where a link leads now; the start page if it leads nowhere. */
export async function oldAddress(ctx: AppContext, caller: Identity, text: string): Promise<string> {
  try {
    const { channel_slug: slug, message_id: id, thread_root_id: root } = await oldPlace(ctx, caller, text);
    return `/#/c/${encodeURIComponent(slug)}${root === null ? "" : `/t/${root}`}${id === null ? "" : `/${id}`}`;
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return "/";
    throw error;
  }
}
