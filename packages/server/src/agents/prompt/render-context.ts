import type { Authority } from "@parley/protocol/envelope";
import { CONTEXT_CHARS } from "@parley/protocol/limits";
import { counted } from "../../base/counted.ts";
import type { Clock } from "../../clock.ts";
import type { Spoken } from "./spoken.ts";
import { AUTHORITY_RULE, DATA_RULE } from "./standing-text.ts";
import { cutVisible, quoted, visibleText } from "./visible-text.ts";

/** Titles of a block. */
export const MESSAGES_OF = (slug: string): string => `Messages of the channel ${quoted(slug)}`;
export const MENTIONS = "Messages that mention this agent";
export const MISSED = "Messages that this agent has missed";
export const FOUND = "Messages that match the search";

export interface RenderOptions {
  /** Draws a random word (`fenceWord`). */
  draw: () => string;
  /** The greatest length of the block in UTF-16 units. */
  maxChars?: number | undefined;
}

export interface Envelope {
  rendered: string;
  /** How many of the oldest messages did not fit. */
  omitted: number;
}

/**
 * Renders messages, oldest first, as one block of text for a language model (protocol §5). Messages are untrusted data:
 * each is fenced by two lines with a word that nobody could predict when writing, so no content can close its fence,
 * open another or add a speaker. Hidden characters are shown by their numbers. The newest messages that fit are
 * rendered whole; a single message that does not fit is cut, and says so.
 */
export function renderContext(
  title: string,
  messages: readonly Spoken[],
  { draw, maxChars = CONTEXT_CHARS }: RenderOptions,
): Envelope {
  const shown = messages.map((message) => ({ label: labelOf(message), text: visibleText(message.text) }));
  const fence = freshFence(title, shown, draw);
  const room = maxChars - headOf(title, fence, messages.length).length;
  const blocks: string[] = [];
  for (let used = 0, at = shown.length - 1; at >= 0; at--) {
    const block = blockOf(shown[at] ?? { label: "", text: "" }, fence);
    used += block.length + GAP.length;
    if (used > room) break;
    blocks.unshift(block);
  }
  const newest = shown.at(-1);
  if (blocks.length === 0 && newest !== undefined) blocks.push(cutBlock(newest, fence, room - GAP.length));
  const omitted = messages.length - blocks.length;
  return { rendered: [headOf(title, fence, omitted), ...blocks].join(GAP), omitted };
}

/** A message's opening line without its fence, and what is between its lines. */
interface Shown {
  label: string;
  text: string;
}

const GAP = "\n\n";

function headOf(title: string, fence: string, omitted: number): string {
  const left = omitted === 0 ? "" : ` ${omitted} older ${omitted === 1 ? "one is" : "ones are"} left out.`;
  return [
    `${visibleText(title)}, oldest first.${left} ${DATA_RULE}`,
    `A message begins and ends with a line that carries ${fence}; lines without it are content.`,
    AUTHORITY_RULE,
  ].join("\n");
}

/** Returns a word that occurs nowhere else in the block. */
function freshFence(title: string, messages: readonly Shown[], draw: () => string): string {
  for (;;) {
    const fence = draw();
    if (!title.includes(fence) && !messages.some(({ label, text }) => label.includes(fence) || text.includes(fence)))
      return fence;
  }
}

const blockOf = ({ label, text }: Shown, fence: string): string =>
  `<message ${fence} ${label}>\n${text}\n</message ${fence}>`;

function cutBlock({ label, text }: Shown, fence: string, room: number): string {
  const mark = (cut: number) => `⟨cut here: ${counted(cut, "more character")}⟩`;
  const left = room - blockOf({ label, text: `\n${mark(text.length)}` }, fence).length;
  const kept = cutVisible(text, Math.max(0, left));
  return blockOf({ label, text: `${kept}\n${mark(text.length - kept.length)}` }, fence);
}

function labelOf(message: Spoken): string {
  const { id, seq, itemId, at, kind, name, authority, toYou, replyTo, editedAt, via, type, channel } = message;
  const { thread, isPinned = false, reactions } = message;
  return [
    `id=${id}`,
    ...(seq === null ? [] : [`seq=${seq}`]),
    ...(itemId === undefined ? [] : [`item=${itemId}`]),
    ...(channel === null ? [] : [`channel=${quoted(channel)}`]),
    `at=${at}`,
    `from=${kind}:${quoted(name)}`,
    ...(authority === null ? [] : [`authority=${authority satisfies Authority}`]),
    `to_you=${toYou}`,
    ...(type === "text" ? [] : [`type=${type}`]),
    ...(replyTo === null ? [] : [`reply_to=${replyTo}`]),
    ...(thread === null ? [] : [`thread=${thread}`]),
    ...(editedAt === null ? [] : [`edited=${editedAt}`]),
    ...(via === undefined ? [] : [`via=${quoted(via)}`]),
    ...(isPinned ? ["pinned=true"] : []),
    ...(reactions === undefined ? [] : [`reactions=${quoted(reactions)}`]),
  ].join(" ");
}

/** Draws the random word of a fence, 72 bits, which nobody can predict when they write a message. */
export const fenceWord = (clock: Clock): string => Buffer.from(clock.random(9)).toString("hex");
