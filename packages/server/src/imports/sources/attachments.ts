import type { BlockContent, PhrasingContent } from "mdast";
import { type Fields, partsOf } from "./fields.ts";

/** Slack allows as many attachments of a message. */
export const ATTACHMENTS_MAX = 100;

/** How a source reads the parts of an attachment of a message, which has Slack's form. */
export interface AttachmentReader {
  /** Returns a field that is a text; empty if there is none. */
  part(fields: Fields, name: string): string;
  blocks(text: string): BlockContent[];
  title(title: string, address: string): PhrasingContent;
  /** Returns what an attachment without a text has besides. */
  more(attachment: Fields): BlockContent[];
}

/** Returns what an attachment of a bot's message shows: its fallback only if there is nothing else. */
export function attachmentOf(attachment: Fields, reader: AttachmentReader): BlockContent[] {
  const part = (name: string): string => reader.part(attachment, name);
  const [pretext, title, address, text] = [part("pretext"), part("title"), part("title_link"), part("text")];
  const shown = [
    ...reader.blocks(pretext),
    ...(title === "" ? [] : [paragraph([reader.title(title, address)])]),
    ...reader.blocks(text),
    ...partsOf(attachment, "fields").flatMap((field) => fieldOf(field, reader)),
    ...(text === "" ? reader.more(attachment) : []),
  ];
  return shown.length > 0 ? shown : reader.blocks(part("fallback"));
}

/** A field of an attachment: its title and its value on one line, if the value has one. */
function fieldOf(field: Fields, reader: AttachmentReader): BlockContent[] {
  const [title, value] = [reader.part(field, "title"), reader.part(field, "value")];
  const [first, ...rest] = reader.blocks(value);
  if (title === "") return first === undefined ? [] : [first, ...rest];
  if (first?.type !== "paragraph")
    return [paragraph([strong(title)]), ...(first === undefined ? [] : [first, ...rest])];
  return [paragraph([strong(title), { type: "text", value: " " }, ...first.children]), ...rest];
}

export const paragraph = (children: PhrasingContent[]): BlockContent => ({ type: "paragraph", children });
export const strong = (value: string): PhrasingContent => ({ type: "strong", children: [{ type: "text", value }] });
