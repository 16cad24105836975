import { type Fields, fieldsOf, link, listOf, moment, paragraphs, stringOf } from "./fields.ts";

/** Returns a block `rich_text` of Slack as Markdown. */
export const richText = ({ elements }: Fields): string => paragraphs(listOf(elements).map((part) => partText(part)));

function partText(part: Fields): string {
  switch (part.type) {
    case "rich_text_list":
      return listText(part);
    case "rich_text_quote":
      return inlineText(part)
        .split("\n")
        .map((line) => `> ${line}`)
        .join("\n");
    case "rich_text_preformatted":
      return `\`\`\`\n${inlineText(part)}\n\`\`\``;
    default:
      return inlineText(part);
  }
}

function listText({ elements, style, indent, offset }: Fields): string {
  const depth = "  ".repeat(Math.min(Number(indent) || 0, 8));
  const first = (Number(offset) || 0) + 1;
  return listOf(elements)
    .map((item, at) => `${depth}${style === "ordered" ? `${first + at}.` : "-"} ${inlineText(item)}`)
    .join("\n");
}

const inlineText = ({ elements }: Fields): string => listOf(elements).map(inline).join("");

/** Returns one element of a line. Slack sends no other types to programs without its people and channels. */
function inline(element: Fields): string {
  const text = stringOf(element.text);
  switch (element.type) {
    case "link":
      return styled(link(text, element.url), element.style);
    case "user":
      return `@${stringOf(element.user_id)}`;
    case "usergroup":
      return `@${stringOf(element.usergroup_id)}`;
    case "broadcast":
      return `@${stringOf(element.range)}`;
    case "channel":
      return `#${stringOf(element.channel_id)}`;
    case "emoji":
      return emoji(element);
    case "date":
      return link(stringOf(element.fallback) || moment(element.timestamp), element.url);
    case "color":
      return stringOf(element.value);
    default:
      return styled(text, element.style);
  }
}

/** `unicode` has the code points in hexadecimal, joined by hyphens. */
function emoji({ unicode, name }: Fields): string {
  const points = stringOf(unicode)
    .split("-")
    .map((code) => Number.parseInt(code, 16));
  const areValid = points.every((point) => point > 0 && point <= 0x10ffff);
  return areValid ? String.fromCodePoint(...points).toWellFormed() : `:${stringOf(name)}:`;
}

/** Puts the marks around the words and not around the white space at their ends, where Markdown would show them. */
function styled(text: string, style: unknown): string {
  const [, before = "", words = "", after = ""] = /^(\s*)(.*?)(\s*)$/s.exec(text) ?? [];
  if (words === "") return text;
  const { bold, italic, strike, code } = fieldsOf(style);
  let shown = code === true ? `\`${words}\`` : words;
  if (italic === true) shown = `_${shown}_`;
  if (bold === true) shown = `**${shown}**`;
  if (strike === true) shown = `~~${shown}~~`;
  return before + shown + after;
}
