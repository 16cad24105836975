import type { Nodes } from "mdast";
import { type Parsed, parseMarkdown } from "./parse.ts";
import type { Text } from "./text.ts";

/** Nodes whose text ends a line. */
const LINES: ReadonlySet<string> = new Set(["paragraph", "heading", "code", "tableRow", "break"]);

/** Returns a message's text without the marks of Markdown, for places that show only text. */
export function plainText(message: Text): string {
  const parsed = parseMarkdown(message);
  if (parsed === null) return message.content;
  const text = parsed.marks.restore(textOf(parsed.root, parsed));
  return text
    .replaceAll(/[ \t]+/g, " ")
    .replaceAll(/\s*\n\s*/g, "\n")
    .trim();
}

function textOf(node: Nodes, parsed: Parsed): string {
  if (node.type === "definition") return parsed.hidden.has(node) ? "" : `${sourceOf(node, parsed)}\n`;
  if (node.type === "image" || node.type === "imageReference") return node.alt ?? "";
  const own =
    "value" in node
      ? node.value
      : "children" in node
        ? node.children.map((child) => textOf(child, parsed)).join("")
        : "";
  if (node.type === "tableCell") return `${own} `;
  return LINES.has(node.type) ? `${own}\n` : own;
}

const sourceOf = ({ position }: Nodes, { marks }: Parsed): string =>
  marks.masked.slice(position?.start.offset ?? 0, position?.end.offset ?? 0);
