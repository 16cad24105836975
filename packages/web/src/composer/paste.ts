import type { ClipboardEvent } from "react";

/** A paste of so many lines is most often code or a log. */
const CODE_LINES = 8;
const FENCE = /^[ \t]*(?:`{3,}|~{3,})/gm;

/** True for several lines of which one is indented, or ends as lines of code do. */
export function isLikeCode(pasted: string): boolean {
  const lines = pasted.replace(/\s+$/, "").split(/\r\n?|\n/);
  if (lines.length < 2 || pasted.search(FENCE) !== -1) return false;
  const isList = lines.every((line) => line.trim() === "" || /^\s*(?:[-*+]|\d+[.)])\s/.test(line));
  return !isList && lines.some((line) => /^(?:\t| {2,})\S/.test(line) || /(?:[{};]|=>|\):)\s*$/.test(line));
}

/**
 * Returns the text to insert instead of a paste of many lines: the lines in a fence. Returns null for a short paste, for
 * one that has fences of its own, and within a fence. `fewest`: how many lines are many.
 */
export function fenced(pasted: string, before: string, after: string, fewest = CODE_LINES): string | null {
  const text = pasted.replaceAll(/\r\n?/g, "\n").replace(/\n+$/, "");
  const isInFence = (before.match(FENCE)?.length ?? 0) % 2 === 1;
  if (text.split("\n").length < fewest || isInFence || text.search(FENCE) !== -1) return null;
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

/** Makes a block of what was pasted, where it is still as it was. */
export function makeCode(field: HTMLTextAreaElement, start: number, pasted: string): void {
  const lines = pasted.replaceAll(/\r\n?/g, "\n");
  const end = start + lines.length;
  const { value } = field;
  if (value.slice(start, end) !== lines) return;
  const text = fenced(lines, value.slice(0, start), value.slice(end), 1);
  if (text === null) return;
  field.focus();
  field.setSelectionRange(start, end);
  document.execCommand("insertText", false, text);
}
