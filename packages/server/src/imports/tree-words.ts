import type { SourceTextNode } from "./source.ts";

/** Returns the words of a text without marks, with a line for each paragraph. */
export function wordsOf(node: SourceTextNode): string {
  if ("value" in node) return node.value;
  if ("label" in node && "userId" in node) return node.label;
  if ("label" in node && "channelId" in node) return node.label;
  if (!("children" in node)) return "";
  const isBlock = node.type === "root" || node.type === "blockquote";
  return node.children.map(wordsOf).join(isBlock ? "\n" : "");
}

/** Returns how many people a text mentions; the same one twice counts twice. */
export function mentionsIn(node: SourceTextNode): number {
  if (node.type === "sourceMention") return 1;
  return "children" in node ? node.children.reduce((sum, child) => sum + mentionsIn(child), 0) : 0;
}
