/** A line that begins or ends a block of code. */
const FENCE = /^\s*(`{3,}|~{3,})(.*)$/;

/** True if the text ends within a block of code whose end is not written yet. */
export function endsInOpenFence(text: string): boolean {
  let open: string | null = null;
  for (const line of text.split("\n")) {
    const [, fence = "", rest = ""] = FENCE.exec(line) ?? [];
    if (fence === "") continue;
    const isEnd = open !== null && fence.startsWith(open) && rest.trim() === "";
    if (isEnd) open = null;
    // A line that also holds the end is code within a line.
    else if (open === null && !rest.includes("`")) open = fence;
  }
  return open !== null;
}
