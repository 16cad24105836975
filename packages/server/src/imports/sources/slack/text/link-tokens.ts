import type { Nodes } from "mdast";

/** An address in a text, to the next white space or address. */
const ADDRESS = /https?:\/\/(?:(?!https?:\/\/)[^\s<>])+/gi;
const OF_SLACK =
  /^https?:\/\/(?:[^/\\?#]*@)?(?:[^/\\?#@:]*\.)?(?:slack|slack-edge|slack-files)\.com\.?(?::\d*)?(?=[/\\?#]|$)/i;
const QUERY = /^([^?#]*)(\?[^#]*)(.*)$/s;
/** Signs after an address that belong to the sentence. */
const AFTER = /[)\]}"'|,:!.`*~]{1,8}$/;

/**
 * Returns a text without the tokens of Slack's links: the parameter `t`, and others that begin like a token. With one of
 * them anybody can read the files of the workspace (protocol §14.3).
 */
export const withoutTokens = (text: string): string =>
  text.includes("://") ? text.replace(ADDRESS, cleanAddress) : text;

/** Drops the tokens from all links and words of a tree, in place. */
export function dropTokens(node: Nodes): void {
  for (const [field, value] of Object.entries(node)) {
    if (typeof value !== "string" || !value.includes("://")) continue;
    // An address in angle brackets may have spaces.
    Object.assign(node, { [field]: withoutTokens(field === "url" ? cleanAddress(value) : value) });
  }
  if ("children" in node) for (const child of node.children) dropTokens(child);
}

function cleanAddress(address: string): string {
  const [, path, query = "", fragment = ""] = OF_SLACK.test(address) ? (QUERY.exec(address) ?? []) : [];
  if (path === undefined) return address;
  const parameters = query.split(/(?=[?&;])/);
  const kept = parameters.filter((parameter) => !isToken(parameter.slice(1)));
  if (kept.length === parameters.length) return address;
  const isLast = fragment === "" && isToken(parameters.at(-1)?.slice(1) ?? "");
  const [after = ""] = isLast ? (AFTER.exec(query) ?? []) : [];
  return path + kept.join("").replace(/^[&;]/, "?") + fragment + after;
}

/** Names and values may be encoded. */
function isToken(parameter: string): boolean {
  const [[name, value] = ["", ""]] = new URLSearchParams(parameter);
  return name.toLowerCase() === "t" || /^\W*xox/i.test(value);
}
