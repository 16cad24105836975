/** The beginning of a line that may still become another kind of block: a fence, a heading, a list, a rule, a quote. */
const MARKERS_ONLY = /^ {0,3}(?:`{1,2}|~{1,2}|#{1,6}|[-+*_=>]{1,3}|\d{1,9}[.)]?)$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Returns what to show of Markdown that is still being written, so that it grows and does not flicker: what is said
 * later changes the look of the last line only. A fence whose line is not complete is held back, so are the first lines of a
 * table, the marks that may begin a block, and a link without its end; emphasis and code that are open are closed.
 */
export function steady(content: string): string {
  const start = content.lastIndexOf("\n") + 1;
  const line = content.slice(start);
  if (openFence(content.slice(0, start)) !== null)
    return FENCE.test(line) || MARKERS_ONLY.test(line) ? content.slice(0, start) : content;
  if (FENCE.test(line) || MARKERS_ONLY.test(line)) return content.slice(0, start);
  const block = content.slice(content.lastIndexOf("\n\n") + 1).replace(/^\n/, "");
  // A table is one from its second line on.
  if (block.startsWith("|") && block.split("\n").length < 3) return content.slice(0, content.length - block.length);
  return content.slice(0, start) + closed(line);
}

/** Returns the fence that is open at the end of complete lines; null: none is. */
function openFence(text: string): string | null {
  let open: string | null = null;
  for (const line of text.split("\n")) {
    const fence = FENCE.exec(line)?.[1];
    if (fence === undefined) continue;
    if (open === null) open = fence;
    else if (fence[0] === open[0] && fence.length >= open.length && line.trim() === fence) open = null;
  }
  return open;
}

/** Closes the spans that are open at the end of a line. */
function closed(line: string): string {
  const isCode = (line.match(/`/g)?.length ?? 0) % 2 === 1;
  if (isCode) return line.endsWith("`") ? line.slice(0, -1) : `${line}\``;
  // A link is its text until its address is complete.
  const text = line.replace(/!?\[([^[\]]*)(?:\](?:\([^()\s]*)?)?$/, "$1");
  const bare = text.replace(/(?:\*{1,3}|_{1,3}|~{1,2})$/, (marks) =>
    count(text.slice(0, -marks.length), marks) % 2 === 1 ? marks : "",
  );
  const end = count(bare, "**") % 2 === 1 ? "**" : "";
  return end !== "" && /\*\*$/.test(bare) ? bare.slice(0, -2) : bare + end;
}

const count = (text: string, part: string): number => text.split(part).length - 1;
