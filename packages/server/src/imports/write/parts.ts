import type { RecordMention } from "../../event-log/message-json.ts";
import { openFence } from "../open-fence.ts";
import type { PrintedText } from "./text.ts";

/** The longest text of one message of an import, in UTF-16 units (protocol §14.2). */
export const PART_MAX = 16_384;
/** A text with more parts is kept as a file, and its first part as the message. */
export const PARTS_MAX = 10;
/** Room for a fence that is closed at the end of a part. */
const FENCE_MAX = 80;

/**
 * Splits a text into parts that messages may have: at a paragraph, a line or a word, never within a character or a mention. A
 * block of code that is cut is closed at the end of its part and opened again in the next one. `max`: UTF-16 units of a part.
 */
export function partsOf({ content, mentions }: PrintedText, max = PART_MAX): PrintedText[] {
  if (content.length <= max) return [{ content, mentions }];
  const parts: PrintedText[] = [];
  let [from, opening] = [0, ""];
  while (from < content.length) {
    const room = max - opening.length - FENCE_MAX;
    const isLast = content.length - from <= room;
    const to = isLast ? content.length : cutOf(content, from, room, mentions);
    const text = content.slice(from, to);
    const open = openFence(opening + text);
    const closing = isLast || open === null ? "" : `${text.endsWith("\n") ? "" : "\n"}${open.mark}`;
    const shift = opening.length - from;
    parts.push({ content: trimmed(opening + text + closing), mentions: within(mentions, from, to, shift) });
    opening = open === null ? "" : `${open.line}\n`;
    from = open === null ? skipBlank(content, to) : to;
  }
  return parts;
}

const within = (mentions: readonly RecordMention[], from: number, to: number, shift: number): RecordMention[] =>
  mentions
    .filter(({ offset, length }) => offset >= from && offset + length <= to)
    .map((mention) => ({ ...mention, offset: mention.offset + shift }));

const trimmed = (text: string): string => text.replace(/\s+$/, "");

/** The next part begins with a character that is seen. A space of a list or of code stays. */
const skipBlank = (content: string, from: number): number => {
  let at = from;
  while (content[at] === "\n") at += 1;
  return at;
};

/** Returns where the part that begins at `from` ends. */
function cutOf(content: string, from: number, room: number, mentions: readonly RecordMention[]): number {
  const end = from + room;
  const least = from + room / 2;
  for (const gap of ["\n\n", "\n", " "]) {
    const at = content.lastIndexOf(gap, end - gap.length) + gap.length;
    if (at > least && !mentions.some((mention) => isInside(mention, at))) return at;
  }
  const around = mentions.find((mention) => isInside(mention, end));
  return around === undefined ? characterBefore(content, end) : around.offset;
}

const isInside = ({ offset, length }: RecordMention, at: number): boolean => at > offset && at < offset + length;

const SEGMENTS = new Intl.Segmenter("en", { granularity: "grapheme" });
/** A character as people see it is shorter than this. */
const LONGEST = 64;

/** Returns the last place up to `end` between two characters. */
function characterBefore(content: string, end: number): number {
  const from = end - LONGEST;
  let at = from;
  for (const { index } of SEGMENTS.segment(content.slice(from, end + LONGEST)))
    if (from + index <= end) at = from + index;
  return at > from ? at : end;
}
