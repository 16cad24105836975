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

type MarkType = "strong" | "emphasis" | "delete";

/**
 * Adds what a mark encloses, before the character `after`. White space at its edges is outside, because Markdown has no
 * mark next to it. `type` null: only the text.
 */
export function addMarked(
  target: PhrasingContent[],
  type: MarkType | null,
  nodes: readonly PhrasingContent[],
  after: string,
): void {
  const [first, last] = [nodes.at(0), nodes.at(-1)];
  const end = last?.type === "text" ? (/\s*$/.exec(last.value.slice(-SPACES_MAX))?.[0] ?? "") : "";
  if (first?.type === "text") {
    const trimmed = first.value.trimStart();
    addText(target, first.value.slice(0, first.value.length - trimmed.length), 0);
    first.value = trimmed;
  }
  if (last?.type === "text") last.value = last.value.trimEnd();
  // An underscore within a word is no mark of CommonMark.
  const isInWord = type === "emphasis" && end === "" && (WORD.test(after) || WORD.test(endOf(target)));
  if (type === null || isInWord) addNodes(target, nodes);
  else target.push({ type, children: without(type, nodes) });
  addText(target, end, 0);
}

/** White space at the end of what a mark encloses. More of it says nothing. */
const SPACES_MAX = 40;

const endOf = (nodes: readonly PhrasingContent[]): string => {
  const last = nodes.at(-1);
  return last?.type === "text" ? characterBefore(last.value, last.value.length) : "";
};

/** Returns nodes without those of a type around them: a mark within itself would be another mark. */
function without(type: MarkType, nodes: readonly PhrasingContent[]): PhrasingContent[] {
  const flat: PhrasingContent[] = [];
  for (const node of nodes) {
    if (!("children" in node)) addNodes(flat, [node]);
    else if (node.type === type) addNodes(flat, without(type, node.children));
    else flat.push({ ...node, children: without(type, node.children) } as PhrasingContent);
  }
  return flat;
}
