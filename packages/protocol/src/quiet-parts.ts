import { type InlineText, type QuietPart, quietInline } from "./quiet-inline.ts";
import { cellsOf, isTableUnder } from "./quiet-tables.ts";

export type { QuietPart };

/** Matches the beginning of every quiet part: a fence, code, a quote, an address, or the indentation of code. */
const MARKS = /[`~<>[\t]|https?:| {4}/i;
const LIST = /(?:[-+*]|\d{1,9}[.)])(?=[ \t\n]|$)/y;
const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})/;
const HEADING = /^#{1,6}(?:[ \t]|$)/;
const RULE = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const UNDERLINE = /^(?:=+|-+)[ \t]*$/;
/** Columns of a tab, and of the indentation that makes code. */
const TAB = 4;

/** A quote, or a list item with the columns that its lines are indented. `isEmpty`: it has no text yet. */
type Container = { kind: "quote" } | { kind: "item"; indent: number; isEmpty: boolean };

/** The place in a line after the marks that were read. */
interface Place {
  at: number;
  column: number;
}

/**
 * Finds code, web addresses and quotes in Markdown, in time linear in the length. It follows the page's parser
 * (`packages/web/src/markdown`); a property test compares the two. Call it only for a text with an `@`.
 */
export function quietParts(content: string): QuietPart[] {
  if (!MARKS.test(content)) return [];
  const scanner = new Scanner(content);
  for (let start = 0; start <= content.length; ) {
    const newline = content.indexOf("\n", start);
    const end = newline === -1 ? content.length : newline;
    scanner.readLine(start, end);
    start = end + 1;
  }
  return scanner.found();
}

class Scanner {
  readonly #content: string;
  readonly #found: QuietPart[] = [];
  #containers: Container[] = [];
  /** The lines of the open paragraph. */
  #paragraph: InlineText[] | null = null;
  #fence: string | null = null;
  /** True if the last line of the paragraph may be the first of a table. */
  #mayBeHead = false;
  #isTable = false;
  /** True within indented code, which a list interrupts under the same conditions as a paragraph. */
  #isIndented = false;
  #end = 0;

  constructor(content: string) {
    this.#content = content;
  }

  found(): QuietPart[] {
    this.#flush();
    return this.#found;
  }

  readLine(start: number, end: number): void {
    this.#end = end;
    const place = { at: start, column: 0 };
    const matched = this.#matchContainers(place);
    const isWhole = matched === this.#containers.length;
    if (this.#fence !== null) {
      if (isWhole) {
        this.#readFenced(start, place);
        return;
      }
      this.#fence = null;
    }
    const opened = this.#openContainers(place, matched, isWhole);
    const { width, at } = this.#blanks(place);
    const text = this.#content.slice(at, end);
    const isLeaf = width < TAB && (FENCE.test(text) || HEADING.test(text) || RULE.test(text));
    const isLazy = !isWhole && !opened && text !== "" && this.#paragraph !== null && !isLeaf;
    if (!isWhole && !opened && !isLazy) this.#close(matched);
    if (this.#isQuoted) this.#found.push({ kind: "quote", start, end });
    if (text === "") {
      this.#flush();
      return;
    }
    for (const container of this.#containers) if (container.kind === "item") container.isEmpty = false;
    this.#isIndented = width >= TAB && this.#paragraph === null;
    const head = this.#mayBeHead && width < TAB && !isLazy ? this.#paragraph?.at(-1) : undefined;
    if (isLazy) this.#addText(at, text);
    else if (this.#isIndented) {
      this.#isTable = false;
      this.#addCode(at);
    } else if (this.#isTable && !isLeaf) this.#addRow({ start: at, text });
    else if (head !== undefined && isTableUnder(head, text)) this.#beginTable(head);
    else if (isLeaf) this.#readLeaf(at, text);
    else if (this.#paragraph !== null && width < TAB && UNDERLINE.test(text)) this.#flush();
    else this.#addText(at, text);
    this.#mayBeHead = width < TAB && this.#paragraph !== null;
  }

  /** Skips the marks of the containers that go on in this line; returns how many do. */
  #matchContainers(place: Place): number {
    let matched = 0;
    for (const container of this.#containers) {
      const { width, at } = this.#blanks(place);
      const isBlank = at === this.#end;
      if (container.kind === "quote") {
        if (isBlank || width >= TAB || this.#content[at] !== ">") break;
        this.#skipQuote(place, width, at);
      } else if (isBlank) {
        if (container.isEmpty) break;
      } else if (width >= container.indent) this.#skipColumns(place, container.indent);
      else break;
      matched += 1;
    }
    return matched;
  }

  /** Opens the quotes and list items that begin in this line; returns whether there are any. */
  #openContainers(place: Place, matched: number, isWhole: boolean): boolean {
    let opened = false;
    // For the parser a list does so, too, in a quote that begins in this line.
    const isInterrupting = isWhole && (this.#paragraph !== null || this.#isIndented);
    const open = (container: Container) => {
      if (!opened) this.#close(matched);
      this.#flush();
      this.#containers.push(container);
      opened = true;
    };
    for (;;) {
      const { width, at } = this.#blanks(place);
      if (width >= TAB || at === this.#end) return opened;
      if (this.#content[at] === ">") {
        open({ kind: "quote" });
        this.#skipQuote(place, width, at);
        continue;
      }
      LIST.lastIndex = at;
      const mark = RULE.test(this.#content.slice(at, this.#end)) ? undefined : LIST.exec(this.#content)?.[0];
      if (mark === undefined) return opened;
      const after = { at: at + mark.length, column: place.column + width + mark.length };
      const gap = this.#blanks(after);
      const isEmpty = gap.at === this.#end;
      if (isInterrupting && (isEmpty || !/^(?:[-+*]|1[.)])$/.test(mark))) return opened;
      const skipped = isEmpty || gap.width > TAB ? 1 : gap.width;
      open({ kind: "item", indent: width + mark.length + skipped, isEmpty });
      Object.assign(place, after);
      this.#skipColumns(place, skipped);
    }
  }

  /** Returns the columns of the blanks here, and where they end. */
  #blanks({ at, column }: Place): { width: number; at: number } {
    let to = column;
    let next = at;
    for (; next < this.#end; next++) {
      const letter = this.#content[next];
      if (letter === " ") to += 1;
      else if (letter === "\t") to += TAB - (to % TAB);
      else break;
    }
    return { width: to - column, at: next };
  }

  #skipQuote(place: Place, width: number, at: number): void {
    place.at = at + 1;
    place.column += width + 1;
    this.#skipColumns(place, 1);
  }

  /** Skips blanks of so many columns, or as many as there are. */
  #skipColumns(place: Place, columns: number): void {
    const to = place.column + columns;
    while (place.column < to && place.at < this.#end) {
      const letter = this.#content[place.at];
      if (letter !== " " && letter !== "\t") return;
      const stop = letter === "\t" ? place.column + TAB - (place.column % TAB) : place.column + 1;
      // The rest of a tab indents the text.
      place.column = Math.min(to, stop);
      if (stop > to) return;
      place.at += 1;
    }
  }

  #readFenced(start: number, place: Place): void {
    if (this.#isQuoted) this.#found.push({ kind: "quote", start, end: this.#end });
    this.#addCode(place.at);
    const { width, at } = this.#blanks(place);
    const closing = width < TAB ? /^(`+|~+)[ \t]*$/.exec(this.#content.slice(at, this.#end))?.[1] : undefined;
    if (closing?.startsWith(this.#fence ?? "")) this.#fence = null;
  }

  #readLeaf(at: number, text: string): void {
    this.#flush();
    this.#fence = FENCE.exec(text)?.[1] ?? null;
    if (this.#fence === null) {
      this.#addText(at, text);
      this.#flush();
    } else this.#addCode(at);
  }

  #addCode(start: number): void {
    this.#found.push({ kind: "code", start, end: this.#end });
  }

  #addText(start: number, text: string): void {
    this.#paragraph ??= [];
    this.#paragraph.push({ start, text });
  }

  /** Takes the last line of the paragraph for the head of a table. */
  #beginTable(head: InlineText): void {
    this.#paragraph?.pop();
    this.#flush();
    this.#isTable = true;
    this.#addRow(head);
  }

  #addRow(row: InlineText): void {
    for (const cell of cellsOf(row)) this.#found.push(...quietInline([cell]));
  }

  get #isQuoted(): boolean {
    return this.#containers.some(({ kind }) => kind === "quote");
  }

  /** Ends all containers after the first `kept`. */
  #close(kept: number): void {
    if (kept < this.#containers.length) this.#flush();
    this.#containers = this.#containers.slice(0, kept);
  }

  #flush(): void {
    this.#isTable = false;
    if (this.#paragraph !== null) this.#found.push(...quietInline(this.#paragraph));
    this.#paragraph = null;
  }
}
