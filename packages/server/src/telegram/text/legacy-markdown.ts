import { unparsable } from "../telegram-error.ts";
import { byteAt, type Entity, type Formatted } from "./formatted.ts";

const ESCAPABLE = "_*`[";
const MARKS: Readonly<Record<string, string>> = { _: "italic", "*": "bold", "`": "code" };

/** Reads a text with `parse_mode` Markdown, the old one: entities do not nest. Errors: 400 `can't parse entities`. */
export function parseLegacyMarkdown(source: string): Formatted {
  const entities: Entity[] = [];
  let text = "";
  for (let at = 0; at < source.length; ) {
    const letter = source.charAt(at);
    if (letter === "\\" && at + 1 < source.length && ESCAPABLE.includes(source.charAt(at + 1))) {
      text += source.charAt(at + 1);
      at += 2;
    } else if (letter !== "[" && MARKS[letter] === undefined) {
      text += letter;
      at += 1;
    } else {
      const found = entityAt(source, at);
      const { end, inner, ...entity } = found;
      if (inner.length > 0 && entity.url !== "")
        entities.push({ ...entity, offset: text.length, length: inner.length });
      text += inner;
      at = end;
    }
  }
  return { text, entities };
}

interface Found {
  type: string;
  inner: string;
  end: number;
  url?: string;
  language?: string;
}

function entityAt(source: string, at: number): Found {
  const letter = source.charAt(at);
  if (letter === "[") return linkAt(source, at);
  if (source.startsWith("```", at)) return preAt(source, at);
  const close = source.indexOf(letter, at + 1);
  if (close === -1) throw unended(source, at);
  return { type: MARKS[letter] ?? "bold", inner: source.slice(at + 1, close), end: close + 1 };
}

function linkAt(source: string, at: number): Found {
  const close = source.indexOf("]", at);
  if (close === -1) throw unended(source, at);
  const inner = source.slice(at + 1, close);
  if (source.charAt(close + 1) !== "(") return { type: "text_link", inner, end: close + 1, url: "" };
  const end = source.indexOf(")", close);
  if (end === -1) throw unended(source, at);
  return { type: "text_link", inner, end: end + 1, url: source.slice(close + 2, end) };
}

function preAt(source: string, at: number): Found {
  const close = source.indexOf("```", at + 3);
  if (close === -1) throw unended(source, at);
  const all = source.slice(at + 3, close);
  const [, language, rest] = /^([^\s`]+)\n([\s\S]*)$/.exec(all) ?? [];
  const inner = (rest ?? all).replace(/^\n|\n$/g, "");
  return { type: "pre", inner, end: close + 3, ...(language === undefined ? {} : { language }) };
}

const unended = (source: string, at: number) =>
  unparsable(`Can't find end of the entity starting at byte offset ${byteAt(source, at)}`);
