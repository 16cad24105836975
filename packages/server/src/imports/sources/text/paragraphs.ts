import type { BlockContent, PhrasingContent } from "mdast";

/** Reads the marks of a line. */
export type ReadLine = (line: string) => PhrasingContent[];

/** Blank lines separate paragraphs. White space at the edges of a line says nothing in Markdown, and is left out. */
export function paragraphsOf(lines: readonly string[], read: ReadLine): BlockContent[] {
  const paragraphs: PhrasingContent[][] = [];
  let isOpen = false;
  for (const line of lines) {
    const trimmed = line.trim();
    if (trimmed === "") {
      isOpen = false;
      continue;
    }
    const nodes = read(trimmed);
    if (nodes.length === 0) continue;
    if (isOpen) addLine(paragraphs.at(-1) ?? [], nodes);
    else paragraphs.push(nodes);
    isOpen = true;
  }
  return paragraphs.map((children) => ({ type: "paragraph", children }));
}

function addLine(paragraph: PhrasingContent[], [first, ...rest]: PhrasingContent[]): void {
  const last = paragraph.at(-1);
  const begin = first?.type === "text" ? first.value : "";
  if (last?.type === "text") last.value += `\n${begin}`;
  else paragraph.push({ type: "text", value: `\n${begin}` });
  if (first !== undefined && first.type !== "text") paragraph.push(first);
  paragraph.push(...rest);
}

/** Makes the words of a message italic that tells what its sender does (`/me waves`). */
export function inItalics(block: BlockContent): BlockContent {
  if (block.type !== "paragraph") return block;
  return { type: "paragraph", children: [{ type: "emphasis", children: block.children }] };
}
