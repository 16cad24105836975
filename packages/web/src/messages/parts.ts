import type { ChatMessage } from "@parley/protocol/records";

/** A piece of a message's text. */
export type Part =
  | { kind: "text"; text: string }
  | { kind: "mention"; text: string; name: string }
  | { kind: "link"; text: string; href: string };

/**
 * Web addresses: http and https alone, written out, without controls and format characters (which turn text around, or look like nothing), so that a link says where it leads.
 */
const ADDRESS = /\bhttps?:\/\/[^\s<>"'`\p{Cc}\p{Cf}]+/giu;
/** Closes a sentence around an address, not the address. */
const TRAILING = /[.,;:!?…。，、！？；：]+$/u;
const PAIRS: Record<string, string> = { ")": "(", "]": "[", "}": "{" };

/** A message's text in pieces: names that were mentioned, web addresses, and what is between them. */
export function partsOf(message: Pick<ChatMessage, "content" | "mentions">): Part[] {
  const { content } = message;
  const parts: Part[] = [];
  let at = 0;
  for (const { name, offset, length } of message.mentions.toSorted((a, b) => a.offset - b.offset)) {
    if (offset < at || offset + length > content.length) continue;
    parts.push(...linksIn(content.slice(at, offset)));
    parts.push({ kind: "mention", text: content.slice(offset, offset + length), name });
    at = offset + length;
  }
  return [...parts, ...linksIn(content.slice(at))];
}

function linksIn(text: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const address = withoutTrail(match[0]);
    const href = hrefOf(address);
    if (href === null) continue;
    if (match.index > at) parts.push({ kind: "text", text: text.slice(at, match.index) });
    parts.push({ kind: "link", text: address, href });
    at = match.index + address.length;
  }
  if (at < text.length) parts.push({ kind: "text", text: text.slice(at) });
  return parts;
}

/** An address in brackets or at the end of a sentence ends before these. */
function withoutTrail(address: string): string {
  for (let kept = address; ; ) {
    const last = kept.at(-1) ?? "";
    const opening = PAIRS[last];
    const isLone = opening !== undefined && kept.split(last).length > kept.split(opening).length;
    const shorter = isLone ? kept.slice(0, -1) : kept.replace(TRAILING, "");
    if (shorter === kept) return kept;
    kept = shorter;
  }
}

/** The address as the browser would go to it; null: it is none, or would log somebody in somewhere. */
function hrefOf(address: string): string | null {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return null;
  return url.href;
}
