import { createHash } from "node:crypto";
import { codeBlock, inlineCode, visibleText, wholeCharacters } from "./clean-text.ts";

/** Characters of the request's content that a card shows. With the rest it must fit into a message of 4,000. */
const SHOWN_MAX = 2_500;
const TITLE_MAX = 200;
const PLACES_MAX = 5;

/** What an agent asks a permission for. All of it is the agent's word. */
export interface Permission {
  title: string;
  /** Such as `edit` or `execute`. */
  kind: string;
  /** Files that it touches. */
  places: readonly string[];
  /** What the tool is called with, and the changes that it makes. */
  content: string;
  /** The language of `content`, for its colours. */
  language: "json" | "diff";
  /** A sentence at the end. */
  note?: string;
  /** Whether the text names the hash also if it shows all of `content`. */
  namesHash?: boolean;
}

export interface PermissionText {
  text: string;
  /** The SHA-256 of `content` in hexadecimal, if the text names it; else null. */
  hash: string | null;
}

/** Writes what people read before they decide. The receipt covers this text. */
export function permissionText({
  title,
  kind,
  places,
  content,
  language,
  note,
  namesHash,
}: Permission): PermissionText {
  const shown = visibleText(wholeCharacters(content, SHOWN_MAX * 2));
  const isCut = content.length > SHOWN_MAX || shown.length > SHOWN_MAX;
  const hash = isCut || namesHash === true ? sha256(content) : null;
  const where = places.slice(0, PLACES_MAX).map((place) => inlineCode(place, 120));
  const more = places.length > PLACES_MAX ? ` and ${places.length - PLACES_MAX} more` : "";
  const lines = [
    `May I do this? ${inlineCode(title, TITLE_MAX)}`,
    `Kind: ${inlineCode(kind, 40)}${where.length === 0 ? "" : ` · in ${where.join(", ")}${more}`}`,
    ...(content === "" ? [] : [codeBlock(wholeCharacters(shown, SHOWN_MAX), language)]),
    ...(isCut
      ? [`**Only the beginning is shown.** The whole has ${content.length} characters and the SHA-256 \`${hash}\`.`]
      : hash === null
        ? []
        : [`The SHA-256 of the request is \`${hash}\`.`]),
    ...(note === undefined ? [] : [note]),
  ];
  return { text: lines.join("\n"), hash };
}

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Writes a change of a text as lines with `-` and `+`, without the equal lines around it. Linear in its length. */
export function diffText(path: string, before: string | null, after: string): string {
  const [old, now] = [before === null ? [] : before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old[old.length - 1 - end] === now[now.length - 1 - end])
    end += 1;
  const removed = old.slice(start, old.length - end).map((line) => `-${line}`);
  const added = now.slice(start, now.length - end).map((line) => `+${line}`);
  return [
    `--- ${before === null ? "/dev/null" : path}`,
    `+++ ${path}`,
    `@@ line ${start + 1} @@`,
    ...removed,
    ...added,
  ].join("\n");
}
