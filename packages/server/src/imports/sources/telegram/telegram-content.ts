import type { BlockContent, PhrasingContent, Root } from "mdast";
import type { CharacterBudget } from "../character-budget.ts";
import { countOf, type Fields, partOf, partsOf, textOf } from "../fields.ts";
import { blocksOf, type ChatTarget } from "./entities.ts";

/** Telegram allows 10 answers, and 30 tasks. */
const ANSWERS_MAX = 100;

/** Returns everything that a message shows, without its files. */
export function contentOf(message: Fields, budget: CharacterBudget, target: ChatTarget): Root {
  const shown = [...blocksOf(message, budget, target), ...thingsOf(message, budget)];
  const isForwarded = "forwarded_from" in message && message.forwarded_from !== undefined;
  const [bot, signature] = [budget.textOf(message, "via_bot"), lineOf(budget.textOf(message, "author"))];
  return {
    type: "root",
    children: [
      ...(isForwarded ? forwardedOf(shown, budget.textOf(message, "forwarded_from")) : shown),
      ...(bot === "" ? [] : [inItalics(`via ${bot}`)]),
      // A post of a channel is by the channel, and may say who wrote it.
      ...(signature === "" ? [] : [inItalics(signature)]),
    ],
  };
}

/** A forwarded message is a quote with the name of who wrote it. */
function forwardedOf(shown: BlockContent[], name: string): BlockContent[] {
  const children = [...(name === "" ? [] : [paragraph([strong(name)])]), ...shown];
  return shown.length === 0 && name === "" ? [] : [{ type: "blockquote", children }];
}

/** Polls, places, contacts and the like, as text. */
function thingsOf(message: Fields, budget: CharacterBudget): BlockContent[] {
  const words = (fields: Fields, name: string): string => lineOf(budget.take(wordsIn(fields[name])));
  return [
    ...listOf(partOf(message, "poll"), "question", "answers", words),
    ...listOf(partOf(message, "todo_list"), "title", "answers", words),
    ...lines([
      words(message, "place_name"),
      words(message, "address"),
      placeOf(partOf(message, "location_information")),
      contactOf(partOf(message, "contact_information"), words),
      words(message, "game_title"),
      words(message, "game_description"),
      words(partOf(message, "invoice_information"), "title"),
      words(partOf(message, "invoice_information"), "description"),
    ]),
  ];
}

type Words = (fields: Fields, name: string) => string;

/** A poll: the question, and the answers with the number of those who chose them. A list of tasks is alike. */
function listOf(fields: Fields, title: string, list: string, words: Words): BlockContent[] {
  const heading = words(fields, title);
  const answers = partsOf(fields, list).slice(0, ANSWERS_MAX);
  if (heading === "" && answers.length === 0) return [];
  const items = answers.map((answer) => {
    const voters = countOf(answer, "voters");
    const value = `${words(answer, "text")}${voters === null ? "" : ` – ${voters}`}`;
    return { type: "listItem" as const, spread: false, children: [paragraph([text(value)])] };
  });
  return [
    ...(heading === "" ? [] : [paragraph([strong(heading)])]),
    ...(items.length === 0 ? [] : [{ type: "list" as const, ordered: false, spread: false, children: items }]),
  ];
}

/** Newer exports have some texts as lists of entities. */
function wordsIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return "";
  return value.map((part) => (typeof part === "string" ? part : textOf(partOf({ part }, "part"), "text"))).join("");
}

const lineOf = (words: string): string => words.replace(/\s+/g, " ").trim();

function placeOf({ latitude, longitude }: Fields): string {
  return typeof latitude === "number" && typeof longitude === "number" ? `${latitude}, ${longitude}` : "";
}

function contactOf(fields: Fields, words: Words): string {
  const name = [words(fields, "first_name"), words(fields, "last_name")].filter(Boolean).join(" ");
  return [name, words(fields, "phone_number")].filter(Boolean).join(", ");
}

function lines(all: readonly string[]): BlockContent[] {
  const shown = all.filter((line) => line !== "");
  return shown.length === 0 ? [] : [paragraph([text(shown.join("\n"))])];
}

export const paragraph = (children: PhrasingContent[]) => ({ type: "paragraph" as const, children });
export const text = (value: string): PhrasingContent => ({ type: "text", value });
const inItalics = (value: string): BlockContent => paragraph([{ type: "emphasis", children: [text(value)] }]);
const strong = (value: string): PhrasingContent => ({ type: "strong", children: [text(value)] });
