import { CONFUSABLES } from "./confusables.ts";

let table: ReadonlyMap<string, string> | undefined;

/** Parses the table on first use, so that start-up does not pay for it. */
function prototypes(): ReadonlyMap<string, string> {
  if (table !== undefined) return table;
  const made = new Map<string, string>();
  const char = (hex: string): string => String.fromCodePoint(Number.parseInt(hex, 16));
  for (const entry of CONFUSABLES.trim().split(/\s+/)) {
    const [prototype = "", chars = ""] = entry.split(":");
    const text = prototype.split("+").map(char).join("");
    for (const each of chars.split(",")) made.set(char(each), text);
  }
  table = made;
  return made;
}

/**
 * Returns the UTS 39 skeleton of a name: two names with the same skeleton look alike. Only for comparison, never for
 * display. Characters that names cannot have are left unchanged.
 */
export function skeleton(text: string): string {
  const map = prototypes();
  const visible = text.normalize("NFD").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  return Array.from(visible, (char) => map.get(char) ?? char)
    .join("")
    .normalize("NFD");
}

/**
 * Returns the key by which users, agents and reserved names are unique in addition to their spelling (protocol §2): the
 * skeleton, case-folded afterwards, because `I` looks like `l` but `i` does not. A space counts as `_`, as in mentions.
 * Dots and hyphens at the end do not count: the longest name wins in a mention, so `ann.` would get every mention of
 * `ann` that ends a sentence.
 */
export function lookAlikeKey(name: string): string {
  return skeleton(name.replaceAll(" ", "_").replace(/[.-]+$/, "")).toLowerCase();
}
