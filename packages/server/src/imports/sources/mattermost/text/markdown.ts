import type { PhrasingContent } from "mdast";
import { type Found, foundIn, linkedChannel } from "./found.ts";
import type { MattermostNames } from "./mattermost-names.ts";
import type { ParseLimit } from "./parse-limit.ts";
import { type Span, spansOf } from "./spans.ts";

/** The place and the limits of the texts of one message. */
export interface TextPlace {
  /** The team of the channel; null in conversations. */
  readonly team: string | null;
  readonly names: MattermostNames;
  readonly limit: ParseLimit;
}

/** With the parameter, anybody can read the file. */
const FILE_TOKEN = /(\/files\/[a-z0-9]{26}\/public)\?h=[\w%-]*/gi;

/** Characters that are none, with which the printing marks mentions. */
const NO_CHARACTERS = /[\ufdd0\ufdd1]/g;

/** Returns a text without the tokens of links to files (protocol §14.3), and without what is no character. */
export function cleanText(text: string): string {
  const shown = text.replace(NO_CHARACTERS, "\u{fffd}");
  return shown.includes("/public?") ? shown.replace(FILE_TOKEN, "$1") : shown;
}

/**
 * Reads a text of Mattermost. It is Markdown, and stays as it is, but for names: of people, channels, links to channels and
 * emoji, outside of code. A text that costs too much to read stays as it is as a whole.
 */
export function markdownOf(text: string, { team, names, limit }: TextPlace): PhrasingContent[] {
  const clean = cleanText(text.replace(/^\ufeff/, ""));
  const found = foundIn(clean, team, names);
  // A link to a channel may be anywhere. Otherwise only what is before the last name matters.
  const before = clean.includes("/channels/") ? clean.length : (found.at(-1)?.from ?? 0);
  const spans = spansOf(clean, before, limit);
  return partsOf(clean, spans === null ? [] : outsideOf(spans, found, clean, names));
}

/** Drops what is found within spans, and adds links to channels. Both lists are in the order of the text. */
function outsideOf(spans: readonly Span[], found: readonly Found[], text: string, names: MattermostNames): Found[] {
  const kept: Found[] = [];
  let next = 0;
  for (const span of spans) {
    for (; (found[next]?.from ?? span.to) < span.from; next += 1) kept.push(...found.slice(next, next + 1));
    while ((found[next]?.from ?? span.to) < span.to) next += 1;
    const link = linkOf(span, text, names);
    if (link !== undefined) kept.push(link);
  }
  return [...kept, ...found.slice(next)];
}

function linkOf({ from, to, link }: Span, text: string, names: MattermostNames): Found | undefined {
  const channelId = link === undefined ? undefined : linkedChannel(link.url, names);
  if (link === undefined || channelId === undefined) return undefined;
  // Without its signs, an address would take the word after it along.
  if (text.startsWith("<", from) && /^[\p{L}\p{N}/]/u.test(text.slice(to, to + 2))) return undefined;
  const label = text.slice(link.from, link.to);
  const children: PhrasingContent[] =
    label === link.url ? [{ type: "text", value: label }] : [{ type: "sourceMarkdown", value: label }];
  return {
    from,
    to,
    node: { type: "link", url: link.url, data: { target: { channelId, messageId: null } }, children },
  };
}

/** Puts what was found between the parts of the text that stay. */
function partsOf(text: string, found: readonly Found[]): PhrasingContent[] {
  const parts: PhrasingContent[] = [];
  const add = (part: PhrasingContent): void => {
    const last = parts.at(-1);
    if (part.type === "sourceMarkdown" && last?.type === "sourceMarkdown") last.value += part.value;
    else if (part.type !== "sourceMarkdown" || part.value !== "") parts.push(part);
  };
  let from = 0;
  for (const each of found) {
    add({ type: "sourceMarkdown", value: text.slice(from, each.from) });
    add(each.node);
    from = each.to;
  }
  add({ type: "sourceMarkdown", value: text.slice(from) });
  return parts;
}
