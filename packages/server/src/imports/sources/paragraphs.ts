import type { BlockContent, PhrasingContent } from "mdast";

/**
 * Makes paragraphs of lines. Blank lines separate them. White space at the edges of a line says nothing in Markdown, and
 * is left out.
 */
export function paragraphsOf(
  lines: readonly string[],
  inlineOf: (line: string) => readonly PhrasingContent[],
): BlockContent[] {
  const paragraphs: PhrasingContent[][] = [];
  let isOpen = false;
  for (const line of lines) {
    const trimmed = line.trim();
    if (trimmed === "") {
      isOpen = false;
      continue;
    }
    const nodes = inlineOf(trimmed);
    if (isOpen) addLine(paragraphs.at(-1) ?? [], nodes);
    else paragraphs.push([...nodes]);
    isOpen = true;
  }
  return paragraphs.map((children) => ({ type: "paragraph", children }));
}

function addLine(paragraph: PhrasingContent[], [first, ...rest]: readonly PhrasingContent[]): void {
  const last = paragraph.at(-1);
  const begin = first?.type === "text" ? first.value : "";
  if (last?.type === "text") last.value += `\n${begin}`;
  else paragraph.push({ type: "text", value: `\n${begin}` });
  if (first !== undefined && first.type !== "text") paragraph.push(first);
  paragraph.push(...rest);
}
