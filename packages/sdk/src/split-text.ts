const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** Room for the fence that closes a block of code which is cut. */
const CLOSING = 8;

/**
 * Splits a text into parts of at most `max` UTF-16 units: between paragraphs where it can, else between lines, words, or
 * characters. A block of code that is cut is closed, and opened again in the next part.
 */
export function splitText(text: string, max: number): string[] {
  const parts: string[] = [];
  let rest = text.trimEnd();
  while (rest.length > max) {
    const at = cutOf(rest, max - CLOSING);
    const part = rest.slice(0, at).trimEnd();
    const fence = openFence(part);
    parts.push(fence === null ? part : `${part}\n${fence.marks}`);
    const next = rest.slice(at).replace(/^\s*\n/, "");
    rest = fence === null ? next.trimStart() : `${fence.line}\n${next}`;
  }
  if (rest !== "") parts.push(rest);
  return parts;
}

function cutOf(text: string, max: number): number {
  for (const border of ["\n\n", "\n", " "]) {
    const at = text.lastIndexOf(border, max);
    // Not in the first half: many small parts would be worse.
    if (at > max / 2) return at;
  }
  const isPair = /[\uD800-\uDBFF]/.test(text[max - 1] ?? "");
  return isPair ? max - 1 : max;
}

/** Returns the fence that is open at the end of a text, with its marks; null: none is. */
function openFence(text: string): { line: string; marks: string } | null {
  let open: { line: string; marks: string } | null = null;
  for (const line of text.split("\n")) {
    const marks = FENCE.exec(line)?.[1];
    if (marks === undefined) continue;
    if (open === null) open = { line: line.slice(0, 40), marks };
    else if (line.trim() === marks && marks.startsWith(open.marks)) open = null;
  }
  return open;
}
