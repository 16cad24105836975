import type { BlockContent, PhrasingContent, Root } from "mdast";
import { ATTACHMENTS_MAX, type AttachmentReader, attachmentOf, paragraph, strong } from "../attachments.ts";
import type { CharacterBudget } from "../character-budget.ts";
import { type Fields, partOf, partsOf } from "../fields.ts";
import { cleanText, markdownOf, type TextPlace } from "./text/markdown.ts";
import { closedText } from "./text/spans.ts";

const WEB = /^https?:\/\/[^\s<>]+$/i;
const BLANK_LINES = /^(?:[ \t]*\r?\n)+/;

/**
 * Returns everything that a post shows, without its files. If the budget is used up afterwards, the post is too long, and
 * something is missing.
 */
export function contentOf(post: Fields, place: TextPlace, budget: CharacterBudget): Root {
  const reader = readerOf(place, budget);
  const said = budget.textOf(post, "message");
  const children = reader.blocks(post.type === "me" ? inItalics(said) : said);
  for (const attachment of partsOf(partOf(post, "props"), "attachments").slice(0, ATTACHMENTS_MAX))
    children.push(...attachmentOf(attachment, reader));
  return { type: "root", children };
}

const readerOf = (place: TextPlace, budget: CharacterBudget): AttachmentReader => ({
  part(fields, name) {
    const value = fields[name];
    return typeof value === "number" ? budget.take(String(value)) : budget.textOf(fields, name);
  },
  blocks: (text) => blocksOf(text, place),
  title: titleOf,
  more: () => [],
});

/** Keeps the spaces before the first word, which may make it code. */
function blocksOf(text: string, place: TextPlace): BlockContent[] {
  const shown = text.replace(BLANK_LINES, "").trimEnd();
  return shown === "" ? [] : [paragraph(markdownOf(closedText(shown, place.limit), place))];
}

/** Mattermost stores a `/me` post with asterisks around it; other programs may not. */
function inItalics(text: string): string {
  const said = text.trim();
  return said === "" || /[*\n]/.test(said) ? text : `*${said}*`;
}

function titleOf(title: string, address: string): PhrasingContent {
  const label = cleanText(title.replace(/\s+/g, " "));
  if (!WEB.test(address)) return strong(label);
  return { type: "link", url: cleanText(address), children: [{ type: "text", value: label }] };
}
