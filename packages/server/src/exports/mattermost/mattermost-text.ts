import { partsOf } from "../../imports/write/parts.ts";
import type { PrintedText } from "../../imports/write/text.ts";
import type { ExportMessage } from "../read/messages.ts";
import type { People } from "../read/people.ts";
import { excerptOf } from "../read/quote.ts";

/** Characters of a post at most. */
const POST_MAX = 16_383;

/** Returns the text of a message as Mattermost writes it, which is Markdown, too. Longer texts are several posts. */
export function postTexts(message: ExportMessage, people: People): string[] {
  const excerpt = excerptOf(message);
  const text = withHandles(message.text, people);
  if (excerpt === null) return split(text);
  const line = `> **${escaped(excerpt.name)}:** ${escaped(excerpt.words)}`;
  return split(text === "" ? line : `${line}\n\n${text}`);
}

/** A post is never longer than its characters, and these are never more than UTF-16 units. */
const split = (content: string): string[] => partsOf({ content, mentions: [] }, POST_MAX).map((part) => part.content);

const escaped = (text: string): string => text.replace(/[\\`*_~[\]<>#|!@:]/g, "\\$&");

/** Writes mentions by the names that people have in the export. */
function withHandles({ content, mentions }: PrintedText, people: People): string {
  let [text, from] = ["", 0];
  for (const { type, name, offset, length } of mentions.toSorted((one, other) => one.offset - other.offset)) {
    const person = type === "here" ? undefined : people.named(name);
    if (person?.isTaken !== true || offset < from) continue;
    text += `${content.slice(from, offset)}@${person.handle}`;
    from = offset + length;
  }
  return text + content.slice(from);
}
