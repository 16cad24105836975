import type { Nodes } from "mdast";
import { parseMarkdown } from "../../telegram/text/from-markdown.ts";

/** Returns the words of a text in Markdown. One that costs too much to read is returned as it is. */
export function withoutMarks(content: string): string {
  const root = parseMarkdown(content);
  return root === null ? content : wordsIn(root);
}

function wordsIn(node: Nodes): string {
  if ("value" in node) return node.value;
  if (node.type === "break") return "\n";
  if (node.type === "image") return node.alt ?? "";
  if (!("children" in node)) return "";
  return node.children.map(wordsIn).join(node.type === "root" || node.type === "list" ? "\n" : "");
}
