import type { BlockContent, PhrasingContent } from "mdast";
import { type Fields, partOf, partsOf, textOf } from "../fields.ts";
import { quoteOf } from "../text/blocks.ts";
import { linkTo } from "../text/links.ts";
import { readText } from "./text/rocketchat-text.ts";
import { type Names, targetOf } from "./text/specials.ts";

const UPLOAD = /\/file-upload\/([\w-]{1,100})(?:\/|$)/;
/** Nobody sends more; a quote of a quote is in the quote. */
const [ATTACHMENTS_MAX, QUOTES_DEEP, BLOCKS_MAX] = [50, 3, 100];

/** Returns the id of the file that an attachment shows; empty if it shows none. */
export function uploadOf(attachment: Fields): string {
  const links = ["title_link", "image_url", "audio_url", "video_url"].map((name) => textOf(attachment, name));
  return links.map((link) => UPLOAD.exec(link)?.[1] ?? "").find(Boolean) ?? "";
}

export const attachmentsOf = (message: Fields): Fields[] => partsOf(message, "attachments").slice(0, ATTACHMENTS_MAX);

/** The message that the first quote in the message's own room quotes; null: none. */
export function quotedIn(message: Fields, names: Names): string | null {
  for (const attachment of attachmentsOf(message)) {
    const target = targetOf(textOf(attachment, "message_link"), names);
    if (target?.channelId === message.rid && target?.messageId) return target.messageId;
  }
  return null;
}

/** Returns what attachments say, without those that are files, and without the quote that the message answers. */
export function wordsOfAttachments(message: Fields, quoted: string | null, names: Names): BlockContent[] {
  let isQuoted = quoted === null;
  return attachmentsOf(message).flatMap((attachment) => {
    const link = textOf(attachment, "message_link");
    if (!isQuoted && targetOf(link, names)?.messageId === quoted) {
      isQuoted = true;
      return [];
    }
    if (uploadOf(attachment) !== "") return [];
    return link === "" ? attachmentWords(attachment, names) : quoteWords(attachment, names, 1);
  });
}

function quoteWords(attachment: Fields, names: Names, depth: number): BlockContent[] {
  const author = textOf(attachment, "author_name");
  const inner = depth < QUOTES_DEEP ? attachmentsOf(attachment) : [];
  return quoteOf([
    ...(author === "" ? [] : [paragraph([strong(author)])]),
    ...inner
      .filter((each) => textOf(each, "message_link") !== "")
      .flatMap((each) => quoteWords(each, names, depth + 1)),
    ...readText(textOf(attachment, "text"), names),
  ]);
}

/** An attachment of a program: its parts, in the order in which Rocket.Chat shows them. */
function attachmentWords(attachment: Fields, names: Names): BlockContent[] {
  const words = (name: string): string => textOf(attachment, name);
  const link = words("title_link") || words("image_url") || words("audio_url") || words("video_url");
  const title = words("title") || (link === "" ? "" : link);
  return [
    ...readText(words("pretext"), names),
    ...(words("author_name") === "" ? [] : [paragraph([strong(words("author_name"))])]),
    ...(title === "" ? [] : [paragraph([link === "" ? strong(title) : linkTo(link, title)])]),
    ...readText(words("text"), names),
    ...partsOf(attachment, "fields")
      .slice(0, ATTACHMENTS_MAX)
      .flatMap((field) => fieldOf(field, names)),
    ...readText(words("description"), names),
  ];
}

function fieldOf(field: Fields, names: Names): BlockContent[] {
  const [title, [first, ...rest]] = [textOf(field, "title"), readText(textOf(field, "value"), names)];
  const head = title === "" ? [] : [strong(title)];
  if (first?.type !== "paragraph")
    return [...(head.length === 0 ? [] : [paragraph(head)]), ...(first === undefined ? [] : [first, ...rest])];
  const space: PhrasingContent[] = head.length === 0 ? [] : [{ type: "text", value: " " }];
  return [paragraph([...head, ...space, ...first.children]), ...rest];
}

/** Returns the words of blocks, in which apps write: the questions and answers of polls, for example. */
export function wordsOfBlocks(message: Fields, names: Names): BlockContent[] {
  return partsOf(message, "blocks")
    .slice(0, BLOCKS_MAX)
    .flatMap((block) => [
      ...readText(textOf(partOf(block, "text"), "text"), names),
      ...["fields", "elements"].flatMap((list) =>
        partsOf(block, list)
          .slice(0, ATTACHMENTS_MAX)
          .flatMap((part) => readText(textOf(part, "text"), names)),
      ),
    ]);
}

/** A place on a map, which a person sent. */
export function locationOf(message: Fields): BlockContent[] {
  const { coordinates } = partOf(message, "location");
  const [longitude, latitude]: unknown[] = Array.isArray(coordinates) ? coordinates : [];
  if (typeof longitude !== "number" || typeof latitude !== "number") return [];
  return [paragraph([{ type: "text", value: `${latitude}, ${longitude}` }])];
}

const paragraph = (children: PhrasingContent[]): BlockContent => ({ type: "paragraph", children });
const strong = (value: string): PhrasingContent => ({ type: "strong", children: [{ type: "text", value }] });
