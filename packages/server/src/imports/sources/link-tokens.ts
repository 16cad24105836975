import type { Nodes } from "mdast";

/** An address in a text, to the next white space or address. */
const ADDRESS = /https?:\/\/(?:(?!https?:\/\/)[^\s<>])+/gi;
const QUERY = /^([^?#]*)(\?[^#]*)(.*)$/s;
/** Signs after an address that belong to the sentence. */
const AFTER = /[)\]}"'|,:!.`*~]{1,8}$/;

/** Which parameters of which links let anybody read the files of a workspace (protocol §14.3). */
export interface TokenRules {
  /** True for an address of the source's own. */
  isOwn(address: string): boolean;
  /** True for a parameter that is left out. Both are decoded. */
  isToken(name: string, value: string): boolean;
}

/** Leaves the tokens of a source's links out of texts. */
export interface TokenFilter {
  /** Returns a text without the tokens of its links. */
  withoutTokens(text: string): string;
  /** Drops the tokens from all links and words of a tree, in place. */
  dropTokens(node: Nodes): void;
}

export function tokenFilter(rules: TokenRules): TokenFilter {
  const withoutTokens = (text: string): string =>
    text.includes("://") ? text.replace(ADDRESS, (address) => cleanAddress(address, rules)) : text;
  const dropTokens = (node: Nodes): void => {
    for (const [field, value] of Object.entries(node)) {
      if (typeof value !== "string" || !value.includes("://")) continue;
      // An address in angle brackets may have spaces.
      Object.assign(node, { [field]: withoutTokens(field === "url" ? cleanAddress(value, rules) : value) });
    }
    if ("children" in node) for (const child of node.children) dropTokens(child);
  };
  return { withoutTokens, dropTokens };
}

function cleanAddress(address: string, rules: TokenRules): string {
  const isToken = (parameter: string): boolean => {
    const [[name, value] = ["", ""]] = new URLSearchParams(parameter);
    return rules.isToken(name, value);
  };
  const [, path, query = "", fragment = ""] = rules.isOwn(address) ? (QUERY.exec(address) ?? []) : [];
  if (path === undefined) return address;
  const parameters = query.split(/(?=[?&;])/);
  const kept = parameters.filter((parameter) => !isToken(parameter.slice(1)));
  if (kept.length === parameters.length) return address;
  const isLast = fragment === "" && isToken(parameters.at(-1)?.slice(1) ?? "");
  const [after = ""] = isLast ? (AFTER.exec(query) ?? []) : [];
  const left = kept.join("").replace(/^[&;]/, "?");
  return path + (left === "?" ? "" : left) + fragment + after;
}
