/** A line that opens or closes a block of code. After backticks there are no others, or it is code within a line. */
const FENCE = /^ {0,3}(?:(`{3,})([^`]*)|(~{3,})(.*))$/;
/** Longer lines are cut: they are opened again in each part of a text. */
const LINE_MAX = 80;

/** Returns the block of code that is open at the end of a text; null if there is none. It does not look into lists and quotes. */
export function openFence(text: string): { mark: string; line: string } | null {
  let open: { mark: string; line: string } | null = null;
  for (const line of text.split("\n")) {
    const [, ticks, afterTicks, tildes, afterTildes] = FENCE.exec(line) ?? [];
    const [mark = "", rest = ""] = [ticks ?? tildes, afterTicks ?? afterTildes];
    if (mark === "") continue;
    if (open === null) open = { mark, line: line.slice(0, LINE_MAX) };
    else if (mark[0] === open.mark[0] && mark.length >= open.mark.length && rest.trim() === "") open = null;
  }
  return open;
}
