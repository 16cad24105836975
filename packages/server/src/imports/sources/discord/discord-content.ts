import type { BlockContent, PhrasingContent, Root } from "mdast";
import type { CharacterBudget } from "../character-budget.ts";
import { type Fields, partOf, partsOf, textOf } from "../fields.ts";
import { drawnStickers } from "./discord-media.ts";
import { ownEmbeds } from "./own-embeds.ts";
import { dropTokens } from "./text/link-tokens.ts";
import { blocksOf } from "./text/markdown.ts";
import { link, type TextContext } from "./text/references.ts";

/** Discord allows 25. */
const FIELDS_MAX = 50;

/** The budget and the names of the message that is read. */
export interface ContentReading {
  readonly context: TextContext;
  readonly budget: CharacterBudget;
}

/**
 * Returns everything that a message shows, without its files. `title`: of the post of a forum, which is its first line.
 * If the budget is used up afterwards, the message is too long, and something is missing.
 */
export function contentOf(message: Fields, title: string | null, isBot: boolean, reading: ContentReading): Root {
  const { budget } = reading;
  const children = [
    ...(title === null ? [] : [paragraph([strong(budget.take(title))])]),
    ...saidIn(message, isBot, reading),
    ...forwardedIn(message, reading),
  ];
  const root: Root = { type: "root", children };
  // Links come from many fields, so all are searched at the end.
  dropTokens(root);
  return root;
}

function saidIn(message: Fields, isBot: boolean, { context, budget }: ContentReading): BlockContent[] {
  const text = budget.textOf(message, "content");
  return [
    ...blocksOf(text, context),
    ...drawnStickers(message).map((name) => paragraph([emphasis(budget.take(name))])),
    ...ownEmbeds(message, isBot).flatMap((embed) => embedOf(embed, { context, budget })),
  ];
}

/** A message that somebody forwarded, of whose author the export says nothing. */
function forwardedIn(message: Fields, reading: ContentReading): BlockContent[] {
  const children = saidIn(partOf(message, "forwardedMessage"), true, reading);
  return children.length === 0 ? [] : [{ type: "blockquote", children }];
}

function embedOf(embed: Fields, { context, budget }: ContentReading): BlockContent[] {
  const part = (name: string): string => budget.textOf(embed, name);
  const [title, url, description] = [part("title"), part("url"), part("description")];
  const [author, footer] = [textOf(partOf(embed, "author"), "name"), textOf(partOf(embed, "footer"), "text")];
  return [
    ...(author === "" ? [] : [paragraph([strong(budget.take(author))])]),
    ...(title === "" ? [] : [paragraph([titleOf(title, url, context)])]),
    ...blocksOf(description, context),
    ...partsOf(embed, "fields")
      .slice(0, FIELDS_MAX)
      .flatMap((field) => fieldOf(field, { context, budget })),
    ...(footer === "" ? [] : [paragraph([emphasis(budget.take(footer))])]),
  ];
}

function titleOf(title: string, url: string, context: TextContext): PhrasingContent {
  const label = title.replace(/\s+/g, " ");
  return /^https?:\/\/\S+$/i.test(url) ? link(url, [{ type: "text", value: label }], context.names) : strong(label);
}

/** A field of an embed: its name and its value on one line, if the value has one. */
function fieldOf(field: Fields, { context, budget }: ContentReading): BlockContent[] {
  const [name, value] = [budget.textOf(field, "name").trim(), budget.textOf(field, "value")];
  const [first, ...rest] = blocksOf(value, context);
  if (name === "") return first === undefined ? [] : [first, ...rest];
  if (first?.type !== "paragraph") return [paragraph([strong(name)]), ...(first === undefined ? [] : [first, ...rest])];
  return [paragraph([strong(name), { type: "text", value: " " }, ...first.children]), ...rest];
}

export const paragraph = (children: PhrasingContent[]): BlockContent => ({ type: "paragraph", children });
const strong = (value: string): PhrasingContent => ({ type: "strong", children: [{ type: "text", value }] });
const emphasis = (value: string): PhrasingContent => ({ type: "emphasis", children: [{ type: "text", value }] });
