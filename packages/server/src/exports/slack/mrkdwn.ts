import type { Code, List, Nodes, Parents, PhrasingContent } from "mdast";
import type { PrintedText } from "../../imports/write/text.ts";
import { parseMarkdown } from "../../telegram/text/from-markdown.ts";
import type { People } from "../read/people.ts";
import { slackId } from "./slack-ids.ts";

/** Enclose the number of a mention while its text is read. They are no characters, so no text has a reason to have them. */
const [OPEN, CLOSE] = ["\ufdd0", "\ufdd1"];
const MARK = /\ufdd0(\d+)\ufdd1/g;
const MARKS = { strong: "*", emphasis: "_", delete: "~" } as const;
const WORD = /[\p{L}\p{N}\p{M}]/u;
const FENCE = "```";
const ADDRESS = /https?:\/\/[^\s<>|]+/g;
/** Signs after an address that belong to the sentence. */
const AFTER = ")]}\"',.:;!?*_~`";
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Encodes the three signs that mean something in all of Slack's texts. */
export const encoded = (text: string): string => text.replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? sign);

/**
 * Writes a text in Markdown as Slack's mrkdwn. Nothing is converted in code. Slack knows no escapes: a sign that is plain in
 * Markdown may be a mark there.
 */
export function mrkdwnOf({ content, mentions }: PrintedText, people: People): string {
  const ids: string[] = [];
  let [marked, from] = ["", 0];
  const text = content.replace(/[\ufdd0\ufdd1]/g, "\ufffd");
  for (const { type, name, offset, length } of mentions.toSorted((one, other) => one.offset - other.offset)) {
    const person = type === "here" ? undefined : people.named(name);
    if (person?.isTaken !== true || offset < from) continue;
    marked += `${text.slice(from, offset)}${OPEN}${ids.push(slackId(person)) - 1}${CLOSE}`;
    from = offset + length;
  }
  marked += text.slice(from);
  const root = parseMarkdown(marked);
  const printed = root === null ? encoded(marked) : blocksOf(root);
  return printed.replace(MARK, (_, index: string) => `<@${ids[Number(index)] ?? ""}>`);
}

/** Blocks have a blank line between them, but code, which has lines of its own. */
function blocksOf({ children }: Parents): string {
  let text = "";
  for (const [at, child] of children.entries()) {
    const isCode = child.type === "code" || children[at - 1]?.type === "code";
    text += `${at === 0 ? "" : isCode ? "\n" : "\n\n"}${blockOf(child)}`;
  }
  return text;
}

function blockOf(node: Nodes): string {
  switch (node.type) {
    case "paragraph":
      return inlineOf(node.children);
    case "heading": {
      const words = inlineOf(node.children);
      return words.includes("*") || words === "" ? words : `*${words}*`;
    }
    case "blockquote":
      return quoteOf(node);
    case "list":
      return listOf(node);
    case "code":
      return codeOf(node);
    case "thematicBreak":
      return "---";
    case "definition":
      return encoded(`[${node.label ?? node.identifier}]: ${node.url}`);
    default:
      return "children" in node ? blocksOf(node) : inlineOf([node as PhrasingContent]);
  }
}

/** A fence within the code would end it: then the lines are plain. */
const codeOf = ({ value }: Code): string =>
  value.includes(FENCE) ? encoded(value) : `${FENCE}\n${encoded(value)}\n${FENCE}`;

/** Slack has no fences in quotes and lists. */
function withoutFences(node: Nodes): Nodes {
  if (node.type === "code")
    return {
      type: "paragraph",
      children: node.value
        .split("\n")
        .flatMap((line, at): PhrasingContent[] => [
          ...(at === 0 ? [] : [{ type: "break" } as const]),
          ...(line.trim() === "" ? [] : [{ type: "inlineCode", value: line } as const]),
        ]),
    };
  if (!("children" in node)) return node;
  return { ...node, children: node.children.map(withoutFences) } as Nodes;
}

function quoteOf(node: Parents): string {
  const inner = blocksOf(withoutFences(node) as Parents);
  return inner
    .split("\n")
    .map((line) => `&gt; ${line}`.trimEnd())
    .join("\n");
}

function listOf({ children, ordered, start }: List, depth = 0): string {
  const lines = children.map((item, at) => {
    const sign = ordered === true ? `${(start ?? 1) + at}.` : "•";
    const parts = item.children.map((child) => {
      const plain = withoutFences(child);
      return plain.type === "list" ? listOf(plain, depth + 1) : blockOf(plain);
    });
    return `${"    ".repeat(depth)}${sign} ${parts.join("\n")}`;
  });
  return lines.join("\n");
}

function inlineOf(nodes: readonly PhrasingContent[]): string {
  let text = "";
  for (const [at, node] of nodes.entries()) {
    if (node.type !== "strong" && node.type !== "emphasis" && node.type !== "delete") {
      text += phraseOf(node);
      continue;
    }
    const next = nodes[at + 1];
    const inner = inlineOf(node.children);
    // Marks within a word are plain in Slack.
    const isWithin = WORD.test(text.slice(-1)) || (next?.type === "text" && WORD.test(next.value.slice(0, 1)));
    const mark = isWithin || inner.trim() !== inner || inner.includes("\n") ? "" : MARKS[node.type];
    text += `${mark}${inner}${mark}`;
  }
  return text;
}

function phraseOf(node: PhrasingContent): string {
  switch (node.type) {
    case "text":
      return linked(node.value);
    case "break":
      return "\n";
    case "inlineCode":
      return node.value.includes("`") ? encoded(node.value) : `\`${encoded(node.value)}\``;
    case "link":
      return linkOf(node.url, inlineOf(node.children.map(withoutLinks)));
    case "image":
      return linkOf(node.url, encoded(node.alt ?? ""));
    case "linkReference":
    case "strong":
    case "emphasis":
    case "delete":
      return inlineOf(node.children);
    default:
      return "value" in node ? encoded(node.value) : "";
  }
}

/** The label of a link is no link itself. */
function withoutLinks(node: PhrasingContent): PhrasingContent {
  if (node.type === "text") return { type: "html", value: node.value };
  if (!("children" in node)) return node;
  return { ...node, children: node.children.map(withoutLinks) } as PhrasingContent;
}

function linkOf(url: string, label: string): string {
  if (!/^(?:https?:\/\/|mailto:)/i.test(url)) return label || encoded(url);
  const address = encoded(url).replace(/[|\s]/g, (sign) => encodeURIComponent(sign));
  const shown = label.replace(/[|\n]/g, " ");
  return shown === "" || shown === address ? `<${address}>` : `<${address}|${shown}>`;
}

/** Puts the addresses of a text into brackets, as Slack writes them. */
const linked = (text: string): string => {
  let [out, from] = ["", 0];
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = withoutSignsAfter(found);
    out += `${encoded(text.slice(from, index))}<${encoded(address)}>`;
    from = index + address.length;
  }
  return out + encoded(text.slice(from));
};

/** A regular expression would begin again at each sign. */
function withoutSignsAfter(address: string): string {
  let end = address.length;
  while (end > 0 && AFTER.includes(address.charAt(end - 1))) end -= 1;
  return address.slice(0, end);
}
