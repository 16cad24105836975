import { unparsable } from "../telegram-error.ts";
import { type Begun, byteAt, type Entity, ended, type Formatted, inOrder } from "./formatted.ts";

const TAGS = new Map(
  Object.entries({
    b: "bold",
    strong: "bold",
    i: "italic",
    em: "italic",
    u: "underline",
    ins: "underline",
    s: "strikethrough",
    strike: "strikethrough",
    del: "strikethrough",
    code: "code",
    pre: "pre",
    a: "text_link",
    span: "spoiler",
    "tg-spoiler": "spoiler",
    "tg-emoji": "custom_emoji",
    "tg-time": "date_time",
    blockquote: "blockquote",
  }),
);
const TAG = /^<(\/?)([a-z0-9-]+)((?:\s+[a-z-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?)*)\s*>/i;
const REFERENCE = /^&(?:(lt|gt|amp|quot)|#(\d{1,7})|#x([\da-f]{1,6}));/i;
const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };

/** Reads a text with `parse_mode` HTML. Errors: 400 `can't parse entities`. */
export function parseHtml(source: string): Formatted {
  const open: Begun[] = [];
  const entities: Entity[] = [];
  let text = "";
  for (let at = 0; at < source.length; ) {
    const letter = source.charAt(at);
    const rest = letter === "<" || letter === "&" ? source.slice(at, at + 4_096) : "";
    const reference = letter === "&" ? referenceAt(rest) : null;
    if (reference !== null) {
      text += reference.text;
      at += reference.length;
    } else if (letter !== "<") {
      text += letter;
      at += 1;
    } else {
      const [all, slash, name = "", attributes = ""] = TAG.exec(rest) ?? [];
      const byte = byteAt(source, at);
      if (all === undefined) throw unparsable(`Unsupported start tag "${rest.slice(1, 21)}" at byte offset ${byte}`);
      if (slash === "") open.push(begin(name.toLowerCase(), attributes, { offset: text.length, byte }));
      else {
        const entity = end(open, name.toLowerCase(), byte, text);
        if (entity !== null) entities.push(entity);
      }
      at += all.length;
    }
  }
  const left = open.at(-1);
  if (left !== undefined) throw unparsable(`Can't find end tag corresponding to start tag "${left.tag}"`);
  return { text, entities: withLanguages(inOrder(entities)) };
}

function referenceAt(rest: string): { text: string; length: number } | null {
  const [all, name, decimal, hex] = REFERENCE.exec(rest) ?? [];
  if (all === undefined) return null;
  if (name !== undefined) return { text: NAMED[name.toLowerCase()] ?? all, length: all.length };
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  const isCharacter = code > 0 && code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? { text: String.fromCodePoint(code), length: all.length } : null;
}

function begin(tag: string, attributes: string, place: { offset: number; byte: number }): Begun {
  const type = TAGS.get(tag);
  if (type === undefined) throw unparsable(`Unsupported start tag "${tag}" at byte offset ${place.byte}`);
  if (tag === "span" && !/class\s*=\s*["']?tg-spoiler/i.test(attributes))
    throw unparsable(`Tag "span" must have class "tg-spoiler" at byte offset ${place.byte}`);
  const href = attributeOf(attributes, "href");
  const language = tag === "code" ? /^language-(.+)$/.exec(attributeOf(attributes, "class") ?? "")?.[1] : undefined;
  return { type, tag, ...place, ...(tag === "a" ? { url: href ?? "" } : {}), language };
}

function attributeOf(attributes: string, name: string): string | undefined {
  const found = new RegExp(`\\b${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i").exec(attributes);
  const value = found?.[1] ?? found?.[2] ?? found?.[3];
  return value?.replace(/&[#\w]{1,8};/g, (all) => referenceAt(all)?.text ?? all);
}

function end(open: Begun[], tag: string, byte: number, text: string): Entity | null {
  const begun = open.pop();
  if (begun === undefined) throw unparsable(`Unexpected end tag at byte offset ${byte}`);
  if (begun.tag !== tag)
    throw unparsable(`Unmatched end tag at byte offset ${byte}, expected "</${begun.tag}>", found "</${tag}>"`);
  if (begun.tag !== "a") return ended(begun, text.length);
  // Without an address, the text of the link is the address.
  return ended({ ...begun, url: begun.url || text.slice(begun.offset) }, text.length);
}

/** `<pre><code class="language-…">` is one entity. */
function withLanguages(entities: readonly Entity[]): Entity[] {
  const same = (one: Entity, other: Entity) => one.offset === other.offset && one.length === other.length;
  const inPre = entities.filter(({ type }) => type === "code");
  const pres = entities.filter(({ type }) => type === "pre");
  return entities.flatMap((entity) => {
    if (entity.type === "code") {
      const isWithin = pres.some((pre) => same(pre, entity));
      const { language: _, ...plain } = entity;
      return isWithin ? [] : [plain];
    }
    const language = entity.type === "pre" ? inPre.find((code) => same(code, entity))?.language : undefined;
    return [language === undefined ? entity : { ...entity, language }];
  });
}
