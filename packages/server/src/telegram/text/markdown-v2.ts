import { unparsable } from "../telegram-error.ts";
import { type Begun, byteAt, type Entity, ended, type Formatted, inOrder } from "./formatted.ts";

const RESERVED = "_*[]()~`>#+-=|{}.!";
/** The names of entities in Telegram's errors. */
const NAMES: Readonly<Record<string, string>> = {
  bold: "Bold",
  italic: "Italic",
  underline: "Underline",
  strikethrough: "Strikethrough",
  spoiler: "Spoiler",
  code: "Code",
  pre: "Pre",
  text_link: "TextUrl",
  custom_emoji: "CustomEmoji",
};
const MARKS: readonly (readonly [mark: string, type: string])[] = [
  ["__", "underline"],
  ["||", "spoiler"],
  ["_", "italic"],
  ["*", "bold"],
  ["~", "strikethrough"],
];

/** Reads a text with `parse_mode` MarkdownV2. Errors: 400 `can't parse entities`. */
export function parseMarkdownV2(source: string): Formatted {
  return new Reader(source).read();
}

class Reader {
  readonly #source: string;
  readonly #open: Begun[] = [];
  readonly #entities: Entity[] = [];
  #text = "";
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  read(): Formatted {
    while (this.#at < this.#source.length) this.#step();
    while (this.#top?.type === "blockquote") this.#close();
    const left = this.#top;
    if (left !== undefined)
      throw unparsable(`Can't find end of ${NAMES[left.type] ?? left.type} entity at byte offset ${left.byte}`);
    return { text: this.#text, entities: inOrder(this.#entities) };
  }

  get #top(): Begun | undefined {
    return this.#open.at(-1);
  }

  #step(): void {
    const [source, at] = [this.#source, this.#at];
    const letter = source.charAt(at);
    const next = source.charCodeAt(at + 1);
    if (letter === "\\" && next > 0 && next < 127) this.#take(source.charAt(at + 1), 2);
    else if (this.#top?.type === "pre") this.#within("```", letter);
    else if (this.#top?.type === "code") this.#within("`", letter);
    else if (letter === ">" && (at === 0 || source.charAt(at - 1) === "\n")) this.#quote();
    else if (letter === "\n") this.#newLine();
    else if (RESERVED.includes(letter)) this.#mark(letter);
    else this.#take(letter, 1);
  }

  #take(text: string, length: number): void {
    this.#text += text;
    this.#at += length;
  }

  #within(mark: string, letter: string): void {
    if (!this.#source.startsWith(mark, this.#at)) {
      this.#take(letter, 1);
      return;
    }
    this.#close();
    this.#at += mark.length;
  }

  #quote(): void {
    if (!this.#open.some(({ type }) => type === "blockquote")) this.#begin("blockquote", 1);
    else this.#at += 1;
  }

  #newLine(): void {
    if (this.#top?.type === "blockquote" && this.#source.charAt(this.#at + 1) !== ">") this.#close();
    this.#take("\n", 1);
  }

  #mark(letter: string): void {
    const rest = this.#source.slice(this.#at, this.#at + 3);
    const top = this.#top?.type;
    if (rest === "```") this.#pre();
    else if (letter === "`") this.#begin("code", 1);
    else if (letter === "[") this.#begin("text_link", 1);
    else if (rest.startsWith("![")) this.#begin("custom_emoji", 2);
    else if (letter === "]" && (top === "text_link" || top === "custom_emoji")) this.#link();
    else this.#pair(letter, rest);
  }

  /** A mark that begins and ends in the same way. */
  #pair(letter: string, rest: string): void {
    const found = MARKS.find(([mark]) => rest.startsWith(mark));
    if (found === undefined)
      throw unparsable(`Character '${letter}' is reserved and must be escaped with the preceding '\\'`);
    const [mark, type] = found;
    if (this.#top?.type !== type) this.#begin(type, mark.length);
    else {
      this.#close();
      this.#at += mark.length;
    }
  }

  #begin(type: string, length: number): void {
    this.#open.push({ type, offset: this.#text.length, byte: byteAt(this.#source, this.#at) });
    this.#at += length;
  }

  #pre(): void {
    this.#begin("pre", 3);
    const [all = "", language = ""] = /^(?:([^\s`\\]+)(?=\n|[^\S\n]*\n))?\n?/.exec(this.#source.slice(this.#at)) ?? [];
    const top = this.#top;
    if (top !== undefined && language !== "") top.language = language;
    this.#at += all.length;
  }

  #link(): void {
    this.#at += 1;
    if (this.#source.charAt(this.#at) !== "(") {
      // Telegram shows the text of a link without an address.
      this.#open.pop();
      return;
    }
    let url = "";
    for (this.#at += 1; this.#source.charAt(this.#at) !== ")"; this.#at += 1) {
      if (this.#at >= this.#source.length)
        throw unparsable(`Can't find end of a URL at byte offset ${byteAt(this.#source, this.#at)}`);
      if (this.#source.charAt(this.#at) === "\\") this.#at += 1;
      url += this.#source.charAt(this.#at);
    }
    this.#at += 1;
    const top = this.#top;
    if (top !== undefined) top.url = url;
    this.#close();
  }

  #close(): void {
    const begun = this.#open.pop();
    if (begun === undefined) return;
    let end = this.#text.length;
    if (begun.type === "pre" && this.#text.endsWith("\n")) {
      this.#text = this.#text.slice(0, -1);
      end -= 1;
    }
    const entity = ended(begun, end);
    if (entity !== null) this.#entities.push(entity);
  }
}
