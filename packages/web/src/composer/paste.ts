import type { ClipboardEvent } from "react";

/** A paste of so many lines is most often code or a log. */
const CODE_LINES = 8;
const FENCE = /^[ \t]*(?:`{3,}|~{3,})/gm;

/**
 * Returns the text to insert instead of a paste of many lines: the lines in a fence. Returns null for a short paste, for
 * one that has fences of its own, and within a fence.
 */
export function fenced(pasted: string, before: string, after: string): string | null {
  const text = pasted.replaceAll(/\r\n?/g, "\n").replace(/\n+$/, "");
  const isInFence = (before.match(FENCE)?.length ?? 0) % 2 === 1;
  if (text.split("\n").length < CODE_LINES || isInFence || text.search(FENCE) !== -1) return null;
  const start = before === "" || before.endsWith("\n") ? "" : "\n";
  const end = after === "" || after.startsWith("\n") ? "" : "\n";
  return `${start}\`\`\`\n${text}\n\`\`\`${end}`;
}

/**
 * Pastes many lines as a block of code; returns true if it did. The lines are first inserted as they are, so that one
 * undo leaves them so.
 */
export function pasteAsCode(event: ClipboardEvent<HTMLTextAreaElement>): boolean {
  const { currentTarget: field, clipboardData } = event;
  const { value, selectionStart: start, selectionEnd: end } = field;
  const pasted = clipboardData.getData("text/plain");
  const text = fenced(pasted, value.slice(0, start), value.slice(end));
  if (text === null) return false;
  event.preventDefault();
  // Old, but the only insertion that the browser's undo knows.
  document.execCommand("insertText", false, pasted);
  field.setSelectionRange(start, field.selectionEnd);
  document.execCommand("insertText", false, text);
  return true;
}
