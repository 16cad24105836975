import { link, moment, stringOf } from "./fields.ts";

const ENTITIES: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };
/** Code blocks and code spans, whose marks are not marks. */
const CODE = /(```[\s\S]*?```|`[^`\n]+`)/;
/** A reference has a scheme, a person, a channel, or a word of Slack's own. Any other text between `<` and `>` stays. */
const REFERENCE =
  /<((?:[a-z][a-z0-9+.-]*:|[@#])[^<>|\n]+|!(?:here|channel|everyone|subteam\^[^<>|\n]*|date\^[^<>|\n]*))(?:\|([^<>\n]*))?>/gi;
/** Slack's marks stand at the edges of words and not beside white space. */
const BEFORE = String.raw`(?<![\p{L}\p{N}*~\\])`;
const AFTER = String.raw`(?![\p{L}\p{N}*~])`;
const BOLD = new RegExp(String.raw`${BEFORE}\*(?!\s)([^*\n]+?)(?<!\s)\*${AFTER}`, "gu");
const STRUCK = new RegExp(String.raw`${BEFORE}~(?!\s)([^~\n]+?)(?<!\s)~${AFTER}`, "gu");

/** Returns Slack's mrkdwn as Markdown: the same words, links, marks and code as Slack shows. */
export const slackText = (value: unknown): string =>
  stringOf(value)
    .split(CODE)
    .map((part, at) => (at % 2 === 1 ? unescaped(part) : unescaped(marked(part))))
    .join("");

const unescaped = (text: string): string => text.replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity);

/** Replaces marks outside of references, whose addresses may contain any character. */
function marked(text: string): string {
  const shown: string[] = [];
  let from = 0;
  for (const found of text.matchAll(REFERENCE)) {
    shown.push(emphasized(text.slice(from, found.index)), reference(found[1] ?? "", found[2]));
    from = found.index + found[0].length;
  }
  if (from === 0) return emphasized(text);
  return [...shown, emphasized(text.slice(from))].join("");
}

const emphasized = (text: string): string => text.replace(BOLD, "**$1**").replace(STRUCK, "~~$1~~");

function reference(target: string, label: string | undefined): string {
  const text = label ?? "";
  if (/^(?:https?|mailto):/i.test(target)) return link(text, target);
  if (/^!date\^/i.test(target)) return dateOf(target, text);
  if (/^[@!]/.test(target)) return `@${(text || target.slice(1).split("^")[0] || "").replace(/^@/, "")}`;
  if (target.startsWith("#")) return `#${(text || target.slice(1)).replace(/^#/, "")}`;
  // Another scheme, such as `tel:` or `javascript:`, is never a link.
  return text || target;
}

/** `<!date^seconds^format^address|text>`: the text is for programs that do not know the reader's time zone. */
function dateOf(target: string, text: string): string {
  const [, seconds, , address] = target.split("^");
  return link(text || moment(seconds), address ?? "");
}
