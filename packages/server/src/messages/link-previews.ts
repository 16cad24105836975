import { addressAt } from "@parley/protocol/addresses";
import { type LinkPreview, PREVIEWS_PER_MESSAGE } from "@parley/protocol/previews";
import { quietParts } from "@parley/protocol/quiet-parts";
import type { Channel } from "../channels/channel.ts";
import type { Config } from "../config/config.ts";
import type { AppContext } from "../context.ts";
import { type MessageRow, previewsOf } from "../event-log/message-json.ts";
import * as store from "./messages.store.ts";

/** The value of `messages.previews` until the previews are made: a job finds these rows, also after a crash. */
export const OWED = "";

const SCHEME = /(?<![\p{L}\p{N}_])https?:\/\//giu;
/** How many addresses that are none are read to their end, which keeps hostile texts linear. */
const BROKEN_MAX = 50;
const LINK_MAX = 2_048;

/**
 * Returns the value of `previews` of a new message: `OWED` if the server is to make some. It runs on the path of each send:
 * a text without a link costs one search.
 */
export function owedPreviews(ctx: AppContext, channel: Channel, content: string, isWanted = true): string | null {
  if (!content.includes("://") || !isWanted || !mayPreview(ctx, channel)) return null;
  return linksToShow(ctx.config, content).length > 0 ? OWED : null;
}

/** True if the links in a channel get previews (protocol §13.4). */
export const mayPreview = ({ config }: AppContext, { direct, link_previews }: Channel): boolean =>
  config.linkPreviews && link_previews && direct === null;

/** Returns the links of a text that get a preview, in their order: the first three, without those to this server. */
export function linksToShow(config: Pick<Config, "publicUrl" | "linkPreviewNetworks">, content: string): string[] {
  const own = config.publicUrl === null ? null : URL.parse(config.publicUrl)?.origin;
  const shown = linksIn(content).filter((link) => {
    const url = URL.parse(link);
    if (url === null || url.origin === own) return false;
    // Without TLS only where the operator allows it, as for every request to an address that users name.
    return url.protocol === "https:" || config.linkPreviewNetworks.length > 0;
  });
  return shown.slice(0, PREVIEWS_PER_MESSAGE);
}

/**
 * Returns the links of a text, each once, in their order, as the page finds them. Those in code are examples, and those in
 * quotes were sent by somebody else.
 */
export function linksIn(content: string): string[] {
  const found = new Set<string>();
  const aside = quietParts(content).filter(({ kind }) => kind !== "address");
  let [end, broken] = [0, 0];
  for (const { index: at } of content.matchAll(SCHEME)) {
    if (broken === BROKEN_MAX) break;
    if (at < end || aside.some((part) => at >= part.start && at < part.end)) continue;
    const link = addressAt(content.slice(at, at + LINK_MAX + 1));
    if (link === "") broken += 1;
    else if (link.length <= LINK_MAX) found.add(link);
    end = at + link.length;
  }
  return [...found];
}

/**
 * Returns the previews that an edit leaves: those whose links the new text still has. New links of an edit get none, so
 * that an edit cannot make the server fetch pages; previews that have yet to be made are made of the new text.
 */
export function keptPreviews(before: MessageRow, content: string): Pick<MessageRow, "previews"> | null {
  if (!before.previews) return null;
  const links = new Set(linksIn(content));
  return { previews: storedPreviews(previewsOf(before).filter(({ url }) => links.has(url))) };
}

/** Returns previews as a message stores them. */
export const storedPreviews = (previews: readonly LinkPreview[]): string | null =>
  previews.length === 0 ? null : JSON.stringify(previews);

/** Gives up the previews that those of the messages still owe. */
export const forgivePreviews = ({ db }: AppContext, ids: readonly number[]): Promise<void> =>
  store.forgivePreviews(db, ids);
