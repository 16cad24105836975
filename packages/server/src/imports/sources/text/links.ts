import type { LinkData, PhrasingContent } from "mdast";
import { matchAt } from "./inline-text.ts";

/** The longest words of a link that are looked at. */
const LABEL = /!?\[((?:[^[\]\n]|\[[^[\]\n]{0,200}\]){0,500})\]\(/y;
const ADDRESS = /(?:<([^<>\n]{1,4000})>|((?:[^\s()<>]|\([^\s()<>]{0,500}\)){1,4000}))(?: {1,3}"[^"\n]{0,500}")?\)/y;
const BARE = /https?:\/\/[^\s<>"`]{1,4000}/y;
/** Signs after an address that belong to the sentence. */
const AFTER = /[.,:;!?'"*_~)\]]{1,20}$/;

export interface LinkWords {
  readonly label: string;
  readonly url: string;
  readonly end: number;
}

/** Reads `[label](address)` or `![label](address)`; undefined if there is none at this place. */
export function linkAt(line: string, at: number): LinkWords | undefined {
  const [opening, label = ""] = matchAt(LABEL, line, at);
  if (opening === undefined) return undefined;
  const [rest, inBrackets, bare = ""] = matchAt(ADDRESS, line, at + opening.length);
  return rest === undefined ? undefined : { label, url: inBrackets ?? bare, end: at + opening.length + rest.length };
}

/** Reads an address in a text, without the signs of the sentence after it; undefined if there is none. */
export function addressAt(line: string, at: number): string | undefined {
  const [address] = matchAt(BARE, line, at);
  if (address === undefined) return undefined;
  const [after = ""] = AFTER.exec(address) ?? [];
  // A bracket that was opened in the address is a part of it.
  const isOwn = after.startsWith(")") && address.includes("(");
  return isOwn ? address.slice(0, address.length - after.length + 1) : address.slice(0, address.length - after.length);
}

const LINKED = /^(?:https?:\/\/|mailto:)[^\s<>]+$/i;

/** Returns a link. An address of another kind, such as `javascript:`, is none, and only the label is shown. */
export function linkTo(url: string, label: string, target?: LinkData["target"]): PhrasingContent {
  const shown = label.trim();
  if (target === undefined && !LINKED.test(url)) return { type: "text", value: shown || url };
  const children: PhrasingContent[] = [{ type: "text", value: shown || url }];
  // Nobody may follow an address within the source but to what it leads to in Parley.
  const address = LINKED.test(url) ? url : "";
  return { type: "link", url: address, children, ...(target === undefined ? {} : { data: { target } }) };
}
