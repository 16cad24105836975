import type { PhrasingContent } from "mdast";
import { addNodes, addText } from "./inline-text.ts";

/** A mark that is open, and what follows it. */
interface Frame {
  readonly mark: string;
  readonly nodes: PhrasingContent[];
}

/** Deeper marks are text: nobody nests so many, and the work stays in proportion to the text. */
const OPEN_MAX = 16;

/** The nodes of a line that is read from its start, with the marks that are open. */
export class MarkedLine {
  readonly #frames: Frame[] = [{ mark: "", nodes: [] }];

  get #nodes(): PhrasingContent[] {
    return this.#frames.at(-1)?.nodes ?? [];
  }

  /** The mark that was opened last; empty if none is open. */
  get last(): string {
    return this.#frames.at(-1)?.mark ?? "";
  }

  text(value: string): void {
    addText(this.#nodes, value, 0);
  }

  add(node: PhrasingContent): void {
    if (node.type === "text") this.text(node.value);
    else this.#nodes.push(node);
  }

  isOpen(mark: string): boolean {
    return this.#frames.some((frame) => frame.mark === mark);
  }

  /** A mark that is one too many is text. */
  open(mark: string): void {
    if (this.#frames.length > OPEN_MAX) this.text(mark);
    else this.#frames.push({ mark, nodes: [] });
  }

  /** Ends the mark that was opened last. Marks in it that nothing closed are text. */
  close(mark: string, type: "strong" | "emphasis" | "delete"): void {
    this.#closeTo(this.#frames.findLastIndex((frame) => frame.mark === mark));
    const { nodes } = this.#frames.pop() ?? { nodes: [] };
    if (nodes.length > 0) this.#nodes.push({ type, children: nodes });
  }

  /** Returns the line. Marks that nothing closed are text. */
  end(): PhrasingContent[] {
    this.#closeTo(0);
    return this.#nodes;
  }

  #closeTo(index: number): void {
    const target = this.#frames[index]?.nodes ?? [];
    for (const { mark, nodes } of this.#frames.splice(index + 1)) {
      addText(target, mark, 0);
      addNodes(target, nodes);
    }
  }
}
