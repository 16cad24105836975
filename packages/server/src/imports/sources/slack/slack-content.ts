import type { BlockContent, PhrasingContent, Root, RootContent } from "mdast";
import { ATTACHMENTS_MAX, type AttachmentReader, attachmentOf, paragraph, strong } from "../attachments.ts";
import { type Fields, partOf, partsOf, textOf } from "../fields.ts";
import { dropTokens } from "./text/link-tokens.ts";
import { blocksOf } from "./text/mrkdwn.ts";
import { reference, type SlackNames } from "./text/references.ts";
import type { TextBudget } from "./text/text-budget.ts";

/** Slack's own words of the time before files were in a list: the file is a part of the message. */
const UPLOADED = /^<@[^>]+> (?:uploaded|shared) a file: <[^>]*>(?: and commented: )?/;
/** Slack allows as many. */
const BLOCKS_MAX = 100;
const COMMENTED = /^<@[^>]+> commented on <@[^>]+>[’']s file <[^>]*>: /;

/** The names and the budget of the message that is read. */
interface Reading {
  readonly names: SlackNames;
  readonly budget: TextBudget;
}

/**
 * Returns everything that a message shows, without its files. `lostNames`: of files that are gone (`filesOf`). If the
 * budget is used up afterwards, the message is too long, and something is missing.
 */
export function contentOf(
  message: Fields,
  isBot: boolean,
  lostNames: readonly string[],
  names: SlackNames,
  budget: TextBudget,
): Root {
  const reading: Reading = { names, budget };
  const reader = attachmentReader(reading);
  const said = ownText(message, reading);
  const children: RootContent[] = message.subtype === "me_message" ? said.map(inItalics) : said;
  for (const attachment of partsOf(message, "attachments").slice(0, ATTACHMENTS_MAX)) {
    if (isForwarded(attachment)) children.push(...quoteOf(attachment, reading));
    // Other attachments of people are previews of links.
    else if (isBot && textOf(attachment, "from_url") === "") children.push(...attachmentOf(attachment, reader));
  }
  children.push(...lostNames.map((name) => lostFile(budget.take(name))));
  const root: Root = { type: "root", children };
  // Links come from many fields, so all are searched at the end.
  dropTokens(root);
  return root;
}

function ownText(message: Fields, { names, budget }: Reading): BlockContent[] {
  const text = budget.textOf(message, "text").replace(UPLOADED, "").replace(COMMENTED, "");
  return text.trim() === "" ? fromBlocks(message, budget) : blocksOf(text, names);
}

const fromBlocks = (fields: Fields, budget: TextBudget): BlockContent[] =>
  partsOf(fields, "blocks")
    .slice(0, BLOCKS_MAX)
    .flatMap((block) => budget.block(block));

function inItalics(block: BlockContent): BlockContent {
  if (block.type !== "paragraph") return block;
  return { type: "paragraph", children: [{ type: "emphasis", children: block.children }] };
}

const isForwarded = (attachment: Fields): boolean => attachment.is_msg_unfurl === true || attachment.is_share === true;

function quoteOf(attachment: Fields, { names, budget }: Reading): BlockContent[] {
  const author = budget.textOf(attachment, "author_name") || budget.textOf(attachment, "author_subname");
  const text = budget.textOf(attachment, "text") || budget.textOf(attachment, "fallback");
  const children: BlockContent[] = [...(author === "" ? [] : [paragraph([strong(author)])]), ...blocksOf(text, names)];
  return children.length === 0 ? [] : [{ type: "blockquote", children }];
}

const attachmentReader = ({ names, budget }: Reading): AttachmentReader => ({
  part: (fields, name) => budget.textOf(fields, name),
  blocks: (text) => blocksOf(text, names),
  title: (title, address) => titleOf(title, address, names),
  more: (attachment) => fromBlocks(attachment, budget),
});

function titleOf(title: string, address: string, names: SlackNames): PhrasingContent {
  const label = title.replace(/[<>|\n]/g, " ");
  const link = address === "" ? undefined : reference(`${address.replace(/[<>|\s]/g, "")}|${label}`, names);
  return link?.type === "link" ? link : strong(title);
}

/** A file that Slack no longer shows leaves a line, with its name if the export has it. */
const lostFile = (name: string): BlockContent =>
  paragraph([{ type: "emphasis", children: [{ type: "text", value: name || "A file that Slack no longer shows" }] }]);

/** The comment on a file of the time before threads: its words and its author. */
export const commentOf = (message: Fields): Fields => partOf(message, "comment");
