import type { ChatMessage } from "@parley/protocol/models";

/** A piece of a message's text. */
export type Part =
  | { kind: "text"; text: string }
  | { kind: "mention"; text: string; name: string }
  | { kind: "link"; text: string; href: string }
  /** Includes the backticks. */
  | { kind: "code"; text: string; isBlock: boolean };

/**
 * Web addresses: only http and https, without control and format characters (which can reverse text or be invisible),
 * so that the visible text shows where a link leads.
 */
const ADDRESS = /\bhttps?:\/\/[^\s<>"'`\p{Cc}\p{Cf}]+/giu;
/** Punctuation that ends the sentence, not the address. */
const TRAILING = /[.,;:!?…。，、！？；：]+$/u;
const PAIRS: Record<string, string> = { ")": "(", "]": "[", "}": "{" };

/** Inline code: text between two backticks on one line. */
const INLINE = /(?<!`)`[^`\n]+`(?!`)/g;
/** The opening line of a code block, optionally with a language, and the closing line. */
const OPENS = /^```[^`]*$/;
const CLOSES = /^```\s*$/;

interface Span {
  start: number;
  end: number;
}

/** Splits a message's text into code, mentions, web addresses and plain text. Joined together, the parts are the original text. */
export function parseMessage({ content, mentions }: Pick<ChatMessage, "content" | "mentions">): Part[] {
  const sorted = mentions.toSorted((a, b) => a.offset - b.offset);
  const parts: Part[] = [];
  let at = 0;
  for (const { start, end, isBlock } of codeIn(content)) {
    parts.push(...spokenIn(content, { start: at, end: start }, sorted));
    parts.push({ kind: "code", text: content.slice(start, end), isBlock });
    at = end;
  }
  return [...parts, ...spokenIn(content, { start: at, end: content.length }, sorted)];
}

/** Finds code blocks between lines of three backticks, and inline code outside of them. */
function codeIn(content: string): (Span & { isBlock: boolean })[] {
  const found: (Span & { isBlock: boolean })[] = [];
  let at = 0;
  const findInline = (end: number) => {
    for (const { index, 0: text } of content.slice(at, end).matchAll(INLINE)) {
      found.push({ start: at + index, end: at + index + text.length, isBlock: false });
    }
  };
  for (const { start, end } of blocksIn(content)) {
    findInline(start);
    found.push({ start, end, isBlock: true });
    at = end;
  }
  findInline(content.length);
  return found;
}

function blocksIn(content: string): Span[] {
  const found: Span[] = [];
  let open: number | null = null;
  let at = 0;
  for (const line of content.split("\n")) {
    if (open === null) {
      if (OPENS.test(line)) open = at;
    } else if (CLOSES.test(line)) {
      // Includes the line break, which would otherwise show as an empty line after the block.
      found.push({ start: open, end: Math.min(at + line.length + 1, content.length) });
      open = null;
    }
    at += line.length + 1;
  }
  return found;
}

/** Splits text outside of code into mentions, addresses and plain text. */
function spokenIn(content: string, { start, end }: Span, mentions: ChatMessage["mentions"]): Part[] {
  const parts: Part[] = [];
  let at = start;
  for (const { name, offset, length } of mentions) {
    if (offset < at || offset + length > end) continue;
    parts.push(...linksIn(content.slice(at, offset)));
    parts.push({ kind: "mention", text: content.slice(offset, offset + length), name });
    at = offset + length;
  }
  return [...parts, ...linksIn(content.slice(at, end))];
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

/** Strips sentence punctuation and unbalanced closing brackets from the end of an address. */
function withoutTrail(address: string): string {
  for (let rest = address; ; ) {
    const last = rest.at(-1) ?? "";
    const opening = PAIRS[last];
    const isLone = opening !== undefined && rest.split(last).length > rest.split(opening).length;
    const shorter = isLone ? rest.slice(0, -1) : rest.replace(TRAILING, "");
    if (shorter === rest) return rest;
    rest = shorter;
  }
}

/** Returns the normalized address; null if it is invalid or contains credentials. */
function hrefOf(address: string): string | null {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return null;
  return url.href;
}
