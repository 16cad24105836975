import { TooMuchWork } from "@parley/protocol/parse-budget";
import type { Nodes, Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { openFence } from "../../../open-fence.ts";
import type { ParseLimit } from "./parse-limit.ts";

/** A part of a text in which names are no names: code, pictures and links. */
export interface Span {
  readonly from: number;
  readonly to: number;
  /** The address and the label, if it is a link. */
  readonly link?: { readonly url: string; readonly from: number; readonly to: number };
}

/** HTML is text in Mattermost, as it is here. The other marks do not matter for where code and links are. */
const SYNTAX = { disable: { null: ["htmlFlow", "htmlText", "attention", "characterReference"] } };
/** Code, pictures and links begin with one of these signs, or with a line that is set in. */
const BEGINNING = /[`[<\t]|~~~| {4}/;
const CLOSED: ReadonlySet<string> = new Set([
  "code",
  "inlineCode",
  "image",
  "imageReference",
  "definition",
  "linkReference",
]);

/** Returns the spans of a text that begin before a place, in its order; null if it costs too much to find them. */
export function spansOf(text: string, before: number, limit: ParseLimit): Span[] | null {
  const beginning = text.search(BEGINNING);
  if (beginning < 0 || beginning >= before) return [];
  const root = parsed(text, limit);
  if (root === null) return null;
  const spans: Span[] = [];
  addSpans(root, spans);
  return spans;
}

/** Closes a block of code that is open at the end, so that nothing after the text gets into it. */
export function closedText(text: string, limit: ParseLimit): string {
  const guess = openFence(text);
  if (guess === null) return text;
  const last = parsed(text, limit)?.children.at(-1);
  // Within a list or quote, a block ends with it.
  const fence = last === undefined ? guess : last.type === "code" ? openFence(text.slice(placeOf(last)[0])) : null;
  return fence === null ? text : `${text}\n${fence.mark}`;
}

/** Returns null if the text costs the parser too much. */
function parsed(text: string, limit: ParseLimit): Root | null {
  const budget = limit.next(text);
  if (budget === null) return null;
  try {
    return fromMarkdown(text, { extensions: [SYNTAX, budget.extension] });
  } catch (error) {
    if (error instanceof TooMuchWork) return null;
    throw error;
  } finally {
    limit.spend(budget);
  }
}

function addSpans(node: Nodes, spans: Span[]): void {
  const [from, to] = placeOf(node);
  if (CLOSED.has(node.type)) spans.push({ from, to });
  else if (node.type === "link") {
    const [first, last] = [node.children[0], node.children.at(-1)];
    const label = {
      from: first === undefined ? from : placeOf(first)[0],
      to: last === undefined ? from : placeOf(last)[1],
    };
    spans.push({ from, to, link: { url: node.url, ...label } });
  } else if ("children" in node) for (const child of node.children) addSpans(child, spans);
}

const placeOf = ({ position }: Nodes): [number, number] => [position?.start.offset ?? 0, position?.end.offset ?? 0];
