import type { Nodes, Paragraph, Root } from "mdast";
import type { SourceFile, SourceMessage } from "../source.ts";
import { PART_MAX, partsOf } from "./parts.ts";
import { type Names, type PrintedText, printText } from "./text.ts";

/** Above this a text may be longer than a message when it is printed: each character may be escaped, and names differ. */
const SURELY_SHORT = PART_MAX / 4;
/** Characters around a node at most, such as brackets. */
const NODE = 40;

/** Returns true if the text fits into one message for sure. It need not be printed to know that. */
export function isShort(message: SourceMessage): boolean {
  let room = SURELY_SHORT - message.files.length * 300;
  const measure = (node: Nodes): void => {
    room -= NODE;
    if ("value" in node) room -= node.value.length;
    if ("url" in node) room -= node.url.length;
    if (room > 0 && "children" in node) for (const child of node.children) measure(child);
  };
  measure(message.text);
  return room > 0;
}

/**
 * Returns the whole text of a message. A file that is not taken leaves a line with its name and size, never its address.
 * `lost`: those files.
 */
export function wholeText(message: SourceMessage, names: Names, lost: readonly SourceFile[]): PrintedText {
  const { text } = message;
  const root: Root = lost.length === 0 ? text : { ...text, children: [...text.children, ...lost.map(lineOf)] };
  return printText(root, names);
}

/** Returns the same text in the parts that messages may have. */
export const textParts = (message: SourceMessage, names: Names, lost: readonly SourceFile[]): PrintedText[] =>
  partsOf(wholeText(message, names, lost));

const lineOf = ({ name, size }: SourceFile): Paragraph => ({
  type: "paragraph",
  children: [{ type: "text", value: size === null ? name : `${name} (${sizeText(size)})` }],
});

/** Returns a number of bytes as people read it: `1.5 MB`. */
export function sizeText(bytes: number): string {
  const units = ["kB", "MB", "GB"];
  let [size, unit] = [bytes, "bytes"];
  for (const next of units) {
    if (size < 1_000) break;
    [size, unit] = [size / 1_000, next];
  }
  return `${unit === "bytes" ? size : size.toFixed(1)} ${unit}`;
}
