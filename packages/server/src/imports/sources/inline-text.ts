import type { PhrasingContent } from "mdast";

/** A mark that is open, and what follows it. The first frame has none: it is the text itself. */
export interface Frame<Mark extends string> {
  readonly mark: Mark | null;
  readonly nodes: PhrasingContent[];
}

export const WORD = /[\p{L}\p{N}\p{M}]/u;

/** Matches a sticky pattern at a place. */
export function matchAt(pattern: RegExp, text: string, at: number): readonly (string | undefined)[] {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? [];
}

/** Adds text, and returns where the next thing begins. */
export function addText(nodes: PhrasingContent[], value: string, at: number): number {
  const last = nodes.at(-1);
  if (last?.type === "text") last.value += value;
  else if (value !== "") nodes.push({ type: "text", value });
  return at + value.length;
}

/** Adds nodes, and joins texts that are next to each other. */
export function addNodes(target: PhrasingContent[], nodes: readonly PhrasingContent[]): void {
  for (const node of nodes) {
    if (node.type === "text") addText(target, node.value, 0);
    else target.push(node);
  }
}

/** Makes text of the marks after this one, which nothing closed. */
export function closeTo<Mark extends string>(frames: Frame<Mark>[], index: number): void {
  const target = frames[index]?.nodes ?? [];
  for (const { mark, nodes } of frames.splice(index + 1)) {
    addText(target, mark ?? "", 0);
    addNodes(target, nodes);
  }
}

/** True for white space, and for the edge of a text. */
export const isSpace = (character: string): boolean => character === "" || /\s/.test(character);
export const characterAfter = (text: string, at: number): string => String.fromCodePoint(...pointAt(text, at));
const pointAt = (text: string, at: number): number[] => {
  const point = text.codePointAt(at);
  return point === undefined ? [] : [point];
};

export function characterBefore(text: string, at: number): string {
  const half = text.charCodeAt(at - 1);
  const isLow = half >= 0xdc00 && half <= 0xdfff;
  return at === 0 ? "" : text.slice(at - (isLow ? 2 : 1), at);
}
