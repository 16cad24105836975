import { type LinkPreview, PREVIEWS_PER_MESSAGE } from "@parley/protocol/previews";
import type { Channel } from "../channels/channel.ts";
import type { Config } from "../config/config.ts";
import type { AppContext } from "../context.ts";
import { type MessageRow, previewsOf } from "../event-log/message-json.ts";
import * as store from "./messages.store.ts";

/** The value of `messages.previews` until the previews are made: a job finds these rows, also after a crash. */
export const OWED = "";

/** Code, whose links are examples, and quotes, whose links somebody else has sent. */
const ASIDE = /```[\s\S]*?(?:```|$)|`[^`\n]*`|^ {0,3}>.*$/gm;
const LINK = /\bhttps?:\/\/[^\s<>"`\\^{|}\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]+/giu;
/** Ends of sentences, and marks of Markdown. */
const TRAILING = /[.,;:!?'*_~\])]/;
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

/** Returns the links of a text, each once, in their order. */
export function linksIn(content: string): string[] {
  const found = content.replace(ASIDE, " ").match(LINK) ?? [];
  return [...new Set(found.map(trimmed).filter((link) => link.length <= LINK_MAX))];
}

/** Cuts off what follows a link without belonging to it. A closing bracket belongs to it if the link opens it. */
function trimmed(link: string): string {
  let end = link.length;
  for (; end > 0; end--) {
    const last = link[end - 1] ?? "";
    if (!TRAILING.test(last)) break;
    if (last === ")" && isOpened(link.slice(0, end), "(", ")")) break;
    if (last === "]" && isOpened(link.slice(0, end), "[", "]")) break;
  }
  return link.slice(0, end);
}

const isOpened = (link: string, open: string, close: string): boolean =>
  link.split(open).length >= link.split(close).length;

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
