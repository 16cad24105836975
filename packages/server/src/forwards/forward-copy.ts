import type { Forwarded } from "@parley/protocol/forwarded";
import { CONTENT_MAX } from "@parley/protocol/limits";
import { isoTime } from "../base/iso-time.ts";
import type { MessageRow } from "../event-log/message-json.ts";
import { storedCard } from "../event-log/stored-card.ts";

/** The record of the source in a forwarded message, without the length of the comment. */
export type Copy = Omit<Forwarded, "comment_length">;

/** A link without a copy. */
export const LINK: Copy = {
  is_copy: false,
  content: null,
  username: null,
  agent_name: null,
  webhook_name: null,
  created_at: null,
};

/** Returns what a forwarded message has of its source; undefined: the message is none. */
export const forwardedIn = (row: Pick<MessageRow, "card">): Forwarded | undefined => storedCard(row)?.forwarded;

/** Returns the copy of a message: its text, who wrote it, and when. Of a forwarded message that is the first source. */
export function copyOf(row: MessageRow): Copy {
  const forwarded = forwardedIn(row);
  if (forwarded !== undefined) {
    const { comment_length: _, ...copy } = forwarded;
    return copy;
  }
  return {
    is_copy: true,
    content: row.content,
    username: row.sender_type === "user" ? row.sender_name : null,
    agent_name: row.sender_type === "agent" ? row.sender_name : null,
    webhook_name: row.webhook_id === null ? null : row.sender_name,
    created_at: isoTime(row.created_at),
  };
}

/** Every character that may end a line, so that no line of the source stands without the mark of a quote. */
const LINE = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;

/**
 * Returns the text of a forwarded message: the comment, then the copied text as a quote, for readers that do not know
 * forwarded messages. It names nobody, so that an erasure finds no name in it. A long text ends early there.
 */
export function contentOf(comment: string, { is_copy, content }: Copy): string {
  const before = comment === "" ? "" : `${comment}\n\n`;
  if (!is_copy) return `${before}(Forwarded message)`;
  if (content === null || content === "") return comment;
  const quoted = shortened(content)
    .split(LINE)
    .map((line) => `> ${line}`);
  return `${before}Forwarded message:\n${quoted.join("\n")}`;
}

/** Cuts a text after `CONTENT_MAX` code points. */
function shortened(text: string): string {
  if (text.length <= CONTENT_MAX) return text;
  const points = [...text];
  return points.length <= CONTENT_MAX ? text : `${points.slice(0, CONTENT_MAX - 1).join("")}…`;
}
