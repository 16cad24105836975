import type { Archive } from "../../archive/archive.ts";
import { quoted } from "../../archive/entry-names.ts";
import { type JsonPath, readJsonDocument } from "../../archive/json-document.ts";
import { SourceError } from "../../source.ts";
import { RESULT } from "./result-name.ts";

/** Where the export is. */
export interface Layout {
  readonly archive: Archive;
  /** The folder that has everything: "", or the one folder into which somebody packed the export. */
  readonly root: string;
}

/** A value of an export, and the chat that it belongs to. */
export type Part =
  | { readonly kind: "field"; readonly chat: string | null; readonly name: string; readonly value: unknown }
  | { readonly kind: "message"; readonly chat: string; readonly index: number; readonly value: unknown };

/** The chat of an export that has only one. */
const ONLY = "";
const LISTS = new Set<string | number | undefined>(["chats", "left_chats"]);
const [BACKSLASH, LETTER_X] = [0x5c, 0x78];

/** Finds the export of Telegram Desktop in an archive; null if there is none. */
export function findLayout(archive: Archive): Layout | null {
  const folders = ["", ...[...archive.children("")].filter((name) => name.endsWith("/"))];
  const roots = folders.filter((folder) => archive.find(`${folder}${RESULT}`) !== null);
  if (roots.length > 1)
    throw new SourceError(`${archive.path} has ${roots.length} exports of Telegram. Name the folder of one of them.`);
  const [root] = roots;
  return root === undefined ? null : { archive, root };
}

/** Reads an export of any size: the fields of chats and of the account, and each message. */
export async function* readResult(
  { archive, root }: Layout,
  onReplaced: (count: number) => void,
): AsyncGenerator<Part> {
  const path = `${root}${RESULT}`;
  const bytes = withValidEscapes(archive.read(path));
  const { values, replaced } = readJsonDocument(bytes, `${archive.path}: ${quoted(path)}`, hasParts);
  for await (const some of values) {
    onReplaced(replaced());
    for (const each of some) {
      const part = partOf(each.path, each.value);
      if (part !== null) yield part;
    }
  }
}

/** The document, the lists of chats, each chat, and its messages: `chats.list[3].messages`, or `messages` of one chat. */
function hasParts(path: JsonPath): boolean {
  const [first, second, , fourth] = path;
  if (path.length === 0) return true;
  if (path.length === 1) return LISTS.has(first) || first === "messages";
  if (!LISTS.has(first) || second !== "list") return false;
  return path.length < 4 || (path.length === 4 && fourth === "messages");
}

function partOf(path: JsonPath, value: unknown): Part | null {
  const [first, second, third, fourth, fifth] = path;
  if (path.length === 1) return { kind: "field", chat: null, name: String(first), value };
  if (first === "messages" && path.length === 2) return { kind: "message", chat: ONLY, index: Number(second), value };
  if (second !== "list" || path.length < 4) return null;
  const chat = `${first}#${third}`;
  if (path.length === 4) return { kind: "field", chat, name: String(fourth), value };
  return { kind: "message", chat, index: Number(fifth), value };
}

/** Telegram Desktop wrote control characters as `\x0B`, which is no JSON. They become `\u000B`. */
async function* withValidEscapes(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isEscaped = false;
  for await (const chunk of chunks) {
    const wrong: number[] = [];
    for (let at: number = isEscaped ? 0 : chunk.indexOf(BACKSLASH); at >= 0 && at < chunk.length; ) {
      // The byte after a backslash is none that begins an escape.
      const next: number = isEscaped ? at : at + 1;
      isEscaped = next >= chunk.length;
      if (isEscaped) break;
      if (chunk[next] === LETTER_X) wrong.push(next);
      at = chunk.indexOf(BACKSLASH, next + 1);
    }
    yield wrong.length === 0 ? chunk : replaced(chunk, wrong);
  }
}

const UNICODE = new TextEncoder().encode("u00");

function replaced(chunk: Uint8Array, places: readonly number[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const place of places) {
    parts.push(chunk.subarray(from, place), UNICODE);
    from = place + 1;
  }
  return Buffer.concat([...parts, chunk.subarray(from)]);
}
