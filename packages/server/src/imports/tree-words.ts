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

/** Returns the ids of the people whom a text mentions, in its order; the same one twice is there twice. */
export function mentionedIn(node: SourceTextNode): string[] {
  if (node.type === "sourceMention") return [node.userId];
  return "children" in node ? node.children.flatMap(mentionedIn) : [];
}
