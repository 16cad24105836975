import type { InlineText } from "./quiet-inline.ts";

const DELIMITERS = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const CELL = /(?:\\[\\|]|[^|])*/y;
const BLANK = /^[ \t]*$/;

/** Returns the cells of a table's row, each with its offset in the message. */
export function cellsOf({ start, text }: InlineText): InlineText[] {
  const cells: InlineText[] = [];
  let at = text.startsWith("|") ? 1 : 0;
  while (at <= text.length) {
    CELL.lastIndex = at;
    const cell = CELL.exec(text)?.[0] ?? "";
    cells.push({ start: start + at, text: cell });
    at += cell.length + 1;
  }
  if (BLANK.test(cells.at(-1)?.text ?? "")) cells.pop();
  return cells;
}

/** True if this line under that one makes the two the beginning of a table. */
export const isTableUnder = (head: InlineText, line: string): boolean =>
  /[|:]/.test(line) && DELIMITERS.test(line) && line.match(/-+/g)?.length === cellsOf(head).length;
