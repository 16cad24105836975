import type { BlockContent, LinkData, PhrasingContent } from "mdast";
import type { CharacterBudget } from "../character-budget.ts";
import { type Fields, fieldsOf, textOf } from "../fields.ts";
import { addMarked, addNodes } from "../text/inline-text.ts";
import { peerOf } from "./peers.ts";

/** Returns the chat of a link to a message of a closed group or channel. */
export type ChatTarget = (chatId: string, messageId: string | null) => LinkData["target"];

const MARKS: Readonly<Record<string, "strong" | "emphasis" | "delete">> = {
  bold: "strong",
  italic: "emphasis",
  // CommonMark has no underlines.
  underline: "emphasis",
  strikethrough: "delete",
};
const LINK = /^(?:https?:\/\/)?[^\s<>:/@]+\.[^\s<>]*$|^https?:\/\/[^\s<>]+$/i;
const MESSAGE_LINK = /^https?:\/\/(?:t|telegram)\.me\/c\/(\d{1,19})(?:\/\d{1,19})??(?:\/(\d{1,19}))?\/?(?:[?#]|$)/i;

interface Entity {
  readonly type: string;
  readonly text: string;
  readonly fields: Fields;
}

/** Reads the text of a message, which is a text or a list of texts and entities, as blocks. */
export function blocksOf(message: Fields, budget: CharacterBudget, target: ChatTarget): BlockContent[] {
  const parts = entitiesOf(message, budget);
  const blocks = new Blocks();
  for (const [at, { type, text, fields }] of parts.entries()) {
    if (type === "pre") blocks.add({ type: "code", lang: languageOf(fields), value: text.replace(/^\n+|\n+$/g, "") });
    else if (type === "blockquote") blocks.addQuote(text);
    else blocks.addInline(text, parts[at + 1]?.text ?? "", (words) => nodeOf({ type, text: words, fields }, target));
  }
  return blocks.finish();
}

/** Newer exports have all parts as entities; older ones only `text`. */
function entitiesOf(message: Fields, budget: CharacterBudget): Entity[] {
  const { text, text_entities: entities } = message;
  const parts = Array.isArray(entities) && entities.length > 0 ? entities : Array.isArray(text) ? text : [text];
  return parts.flatMap((part: unknown) => {
    const fields = fieldsOf(part) ?? { type: "plain", text: part };
    const words = budget.textOf(fields, "text");
    return words === "" ? [] : [{ type: textOf(fields, "type"), text: words.replace(/\r\n?/g, "\n"), fields }];
  });
}

const languageOf = (fields: Fields): string | null => /^[\w+#.-]{1,32}$/.exec(textOf(fields, "language"))?.[0] ?? null;

/** Returns what an entity is within a line: a node, or a mark around its text. */
function nodeOf({ type, text, fields }: Entity, target: ChatTarget): PhrasingContent | keyof typeof MARKS {
  switch (type) {
    case "code":
      return { type: "inlineCode", value: text };
    case "link":
      return linkOf(text, text, target);
    case "text_link":
      return linkOf(textOf(fields, "href"), text, target);
    case "mention_name": {
      const userId = peerOf(fields, "user_id");
      const label = text.startsWith("@") ? text : `@${text}`;
      return userId === "" ? { type: "text", value: text } : { type: "sourceMention", userId, label };
    }
    default:
      return Object.hasOwn(MARKS, type) ? type : { type: "text", value: text };
  }
}

/** An address of another kind, such as `tg:` or `javascript:`, is never a link. */
function linkOf(address: string, label: string, target: ChatTarget): PhrasingContent {
  if (!LINK.test(address)) return { type: "text", value: label };
  const url = /^https?:/i.test(address) ? address : `http://${address}`;
  const [, chatId, messageId = null] = MESSAGE_LINK.exec(url) ?? [];
  const found = chatId === undefined ? undefined : target(chatId, messageId);
  return {
    type: "link",
    url,
    children: [{ type: "text", value: label === address ? url : label }],
    ...(found === undefined ? {} : { data: { target: found } }),
  };
}

/** Collects paragraphs and other blocks. A blank line begins another paragraph, also within a mark. */
class Blocks {
  readonly #blocks: BlockContent[] = [];
  #open: PhrasingContent[] = [];

  add(block: BlockContent): void {
    this.#close();
    if (block.type !== "code" || block.value.trim() !== "") this.#blocks.push(block);
  }

  addQuote(text: string): void {
    this.#close();
    const inner = new Blocks();
    inner.addInline(text, "", (value) => ({ type: "text", value }));
    const children = inner.finish();
    if (children.length > 0) this.#blocks.push({ type: "blockquote", children });
  }

  addInline(text: string, after: string, nodeOf: (words: string) => PhrasingContent | string): void {
    // White space at the edges of a line says nothing in Markdown.
    const pieces = text.replace(/[^\S\n]*\n[^\S\n]*/g, "\n").split(/\n{2,}/);
    for (const [at, piece] of pieces.entries()) {
      if (at > 0) this.#close();
      if (piece === "") continue;
      const node = nodeOf(piece);
      if (typeof node !== "string") addNodes(this.#open, [node]);
      else this.#addMarked(node, piece, at === pieces.length - 1 ? after : "");
    }
  }

  #addMarked(type: string, value: string, after: string): void {
    const mark = value.trim() === "" ? null : (MARKS[type] ?? null);
    addMarked(this.#open, mark, [{ type: "text", value }], after.slice(0, 2));
  }

  finish(): BlockContent[] {
    this.#close();
    return this.#blocks;
  }

  #close(): void {
    const [first, last] = [this.#open.at(0), this.#open.at(-1)];
    if (first?.type === "text") first.value = first.value.trimStart();
    if (last?.type === "text") last.value = last.value.trimEnd();
    const children = this.#open.filter((node) => node.type !== "text" || node.value !== "");
    if (children.length > 0) this.#blocks.push({ type: "paragraph", children });
    this.#open = [];
  }
}
