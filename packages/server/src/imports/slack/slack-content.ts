import type { BlockContent, PhrasingContent, Root, RootContent } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { slackBlocks } from "../../webhooks/incoming/forms/slack.ts";
import { type Fields, partOf, partsOf, textOf } from "./fields.ts";
import { dropTokens } from "./text/link-tokens.ts";
import { blocksOf } from "./text/mrkdwn.ts";
import { reference, type SlackNames } from "./text/references.ts";

/** Slack's own words of the time before files were in a list: the file is a part of the message. */
const UPLOADED = /^<@[^>]+> (?:uploaded|shared) a file: <[^>]*>(?: and commented: )?/;
/** Slack allows as many. */
const ATTACHMENTS_MAX = 100;
const COMMENTED = /^<@[^>]+> commented on <@[^>]+>[’']s file <[^>]*>: /;

/** Returns everything that a message shows, without its files. `lostNames`: of files that are gone (`filesOf`). */
export function contentOf(message: Fields, isBot: boolean, lostNames: readonly string[], names: SlackNames): Root {
  const said = ownText(message, names);
  const children: RootContent[] = message.subtype === "me_message" ? said.map(inItalics) : said;
  for (const attachment of partsOf(message, "attachments").slice(0, ATTACHMENTS_MAX)) {
    if (isForwarded(attachment)) children.push(...quoteOf(attachment, names));
    // Other attachments of people are previews of links.
    else if (isBot && textOf(attachment, "from_url") === "") children.push(...attachmentOf(attachment, names));
  }
  children.push(...lostNames.map(lostFile));
  const root: Root = { type: "root", children };
  // Links come from many fields, so all are searched at the end.
  dropTokens(root);
  return root;
}

function ownText(message: Fields, names: SlackNames): BlockContent[] {
  const text = textOf(message, "text").replace(UPLOADED, "").replace(COMMENTED, "");
  if (text.trim() !== "") return blocksOf(text, names);
  const blocks = partsOf(message, "blocks");
  return blocks.length === 0 ? [] : fromBlocks(blocks);
}

/** Blocks are read as those of incoming webhooks are, which gives Markdown. */
const fromBlocks = (blocks: Fields[]): BlockContent[] => fromMarkdown(slackBlocks(blocks)).children as BlockContent[];

function inItalics(block: BlockContent): BlockContent {
  if (block.type !== "paragraph") return block;
  return { type: "paragraph", children: [{ type: "emphasis", children: block.children }] };
}

const isForwarded = (attachment: Fields): boolean => attachment.is_msg_unfurl === true || attachment.is_share === true;

function quoteOf(attachment: Fields, names: SlackNames): BlockContent[] {
  const author = textOf(attachment, "author_name") || textOf(attachment, "author_subname");
  const text = textOf(attachment, "text") || textOf(attachment, "fallback");
  const children: BlockContent[] = [...(author === "" ? [] : [paragraph([strong(author)])]), ...blocksOf(text, names)];
  return children.length === 0 ? [] : [{ type: "blockquote", children }];
}

function attachmentOf(attachment: Fields, names: SlackNames): BlockContent[] {
  const [title, address] = [textOf(attachment, "title"), textOf(attachment, "title_link")];
  const shown = [
    ...blocksOf(textOf(attachment, "pretext"), names),
    ...(title === "" ? [] : [paragraph([titleOf(title, address, names)])]),
    ...blocksOf(textOf(attachment, "text"), names),
    ...partsOf(attachment, "fields").flatMap((field) => fieldOf(field, names)),
    ...(textOf(attachment, "text") === "" ? fromBlocks(partsOf(attachment, "blocks")) : []),
  ];
  return shown.length > 0 ? shown : blocksOf(textOf(attachment, "fallback"), names);
}

function titleOf(title: string, address: string, names: SlackNames): PhrasingContent {
  const label = title.replace(/[<>|\n]/g, " ");
  const link = address === "" ? undefined : reference(`${address.replace(/[<>|\s]/g, "")}|${label}`, names);
  return link?.type === "link" ? link : strong(title);
}

/** A field of an attachment: its title and its value on one line, if the value has one. */
function fieldOf(field: Fields, names: SlackNames): BlockContent[] {
  const [title, value] = [textOf(field, "title"), textOf(field, "value")];
  const [first, ...rest] = blocksOf(value, names);
  if (title === "") return first === undefined ? [] : [first, ...rest];
  if (first?.type !== "paragraph")
    return [paragraph([strong(title)]), ...(first === undefined ? [] : [first, ...rest])];
  return [paragraph([strong(title), { type: "text", value: " " }, ...first.children]), ...rest];
}

/** A file that Slack no longer shows leaves a line, with its name if the export has it. */
const lostFile = (name: string): BlockContent =>
  paragraph([{ type: "emphasis", children: [{ type: "text", value: name || "A file that Slack no longer shows" }] }]);

const paragraph = (children: PhrasingContent[]): BlockContent => ({ type: "paragraph", children });
const strong = (value: string): PhrasingContent => ({ type: "strong", children: [{ type: "text", value }] });

/** The comment on a file of the time before threads: its words and its author. */
export const commentOf = (message: Fields): Fields => partOf(message, "comment");
