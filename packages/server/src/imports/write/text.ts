import { MENTIONS_PER_MESSAGE } from "@parley/protocol/limits";
import type { Link, PhrasingContent, Root, Text } from "mdast";
import { gfmStrikethroughToMarkdown } from "mdast-util-gfm-strikethrough";
import { type Handle, type Options, toMarkdown } from "mdast-util-to-markdown";
import type { RecordMention } from "../../event-log/message-json.ts";
import type { SourceChannelName, SourceMarkdown, SourceMention } from "../source.ts";

/** The names and addresses in Parley of things that texts of the source name. */
export interface Names {
  /** Returns the person or agent of a source id; null if they are not taken. */
  person(userId: string): { type: "user" | "agent"; name: string } | null;
  /** Returns the slug of a channel; null if it is not taken. */
  slug(channelId: string): string | null;
  /** Returns the address of a channel or message of the source; null if it is not taken. */
  address(channelId: string, messageId: string | null): string | null;
}

export interface PrintedText {
  content: string;
  mentions: RecordMention[];
}

/** Enclose the number of a mention while its text is printed. They are no characters, so no text has a reason to have them. */
const [OPEN, CLOSE] = ["\ufdd0", "\ufdd1"];
const MARK = /\ufdd0(\d+)\ufdd1/g;

/** Letters and signs among which nothing can be a mark. */
const PLAIN = /^[\p{L}][\p{L}\p{N} ,.!?'"/()%=;-]*$/u;

/** Prints a text of the source as Markdown, with at most as many mentions as a message may have; further ones are text. */
export function printText(root: Root, names: Names): PrintedText {
  const simple = plainTextOf(root);
  if (simple !== null) return { content: simple, mentions: [] };
  const found: { type: "user" | "agent"; name: string }[] = [];
  const text = toMarkdown(root, optionsOf(names, found)).replace(/\n$/, "");
  const clean = text.split(OPEN).length - 1 === found.length ? null : withoutMarks(root);
  if (clean !== null) return printText(clean, names);
  return withMentions(hasMarkdown(root) ? text : onlyTilde(text), found);
}

/** Returns a text without the signs that enclose mentions; null if it has none. */
function withoutMarks(root: Root): Root | null {
  const json = JSON.stringify(root);
  return json.includes(OPEN) ? (JSON.parse(json.replaceAll(OPEN, "\ufffd").replaceAll(CLOSE, "\ufffd")) as Root) : null;
}

/** Returns the text of a single paragraph that is printed as it is; null for other trees. */
function plainTextOf({ children }: Root): string | null {
  const [only, ...more] = children;
  if (only?.type !== "paragraph" || more.length > 0) return null;
  const [text, ...others] = only.children;
  if (text?.type === "sourceMarkdown" && others.length === 0) return text.value;
  return text?.type === "text" && others.length === 0 && PLAIN.test(text.value) && !text.value.endsWith(" ")
    ? text.value
    : null;
}

/** True if the source's own Markdown is in the text, in which no escape is taken back. */
const hasMarkdown = ({ children }: Root): boolean =>
  children.some((block) => "children" in block && block.children.some(({ type }) => type === "sourceMarkdown"));

const SHARED: Options = {
  bullet: "-",
  emphasis: "_",
  rule: "-",
  listItemIndent: "one",
  extensions: [gfmStrikethroughToMarkdown()],
};

const markdown: Handle = (node: SourceMarkdown) => node.value;
Object.assign(markdown, { peek: ({ value }: SourceMarkdown) => value.charAt(0) });

/** A line break is a new line: readers of messages see each of them. */
const lineBreak: Handle = () => "\n";

const text: Handle = (node: Text, _parent, state, info) => fewerEscapes(state.safe(node.value, info));

/**
 * Takes back escapes that change nothing: an underscore within a word is no mark, nor is an asterisk between spaces, or a
 * `#` that is not followed by a space.
 */
const fewerEscapes = (escaped: string): string =>
  escaped
    .replace(/(?<=[\p{L}\p{N}_])\\_(?=[\p{L}\p{N}\\])/gu, "_")
    .replace(/(?<=\S )\\\*(?= )/g, "*")
    .replace(/\\&(?!#|\w+;)/g, "&")
    .replace(/^\\#(?=[^\s#])/gm, "#");

/** A single tilde strikes nothing through. */
const onlyTilde = (text: string): string =>
  text.indexOf("~") === text.lastIndexOf("~") ? text.replace("\\~", "~") : text;

function optionsOf(names: Names, found: { type: "user" | "agent"; name: string }[]): Options {
  const mention: Handle = (node: SourceMention, _parent, state, info) => {
    const person = names.person(node.userId);
    if (person === null) return fewerEscapes(state.safe(node.label, info));
    if (found.length >= MENTIONS_PER_MESSAGE) return fewerEscapes(state.safe(`@${person.name}`, info));
    found.push(person);
    return `${OPEN}${found.length - 1}${CLOSE}`;
  };
  const channel: Handle = (node: SourceChannelName, _parent, state, info) => {
    const slug = names.slug(node.channelId);
    return slug === null ? fewerEscapes(state.safe(node.label, info)) : `#${slug}`;
  };
  const link: Handle = (node: Link, _parent, state, info) => {
    const moved = movedLink(node, names);
    // The source did not say its address, so there is nothing to follow.
    if (moved.url === "") return state.containerPhrasing(moved, info);
    if (isBare(moved)) return BARE.test(moved.url) ? moved.url : `<${moved.url}>`;
    const exit = state.enter("link");
    const tracker = state.createTracker(info);
    let value = tracker.move("[");
    value += tracker.move(state.containerPhrasing(moved, { before: value, after: "](", ...tracker.current() }));
    value += tracker.move(`](${destination(moved.url)})`);
    exit();
    return value;
  };
  Object.assign(mention, { peek: () => "@" });
  Object.assign(channel, { peek: () => "#" });
  Object.assign(link, { peek: () => "[" });
  const handlers = {
    break: lineBreak,
    text,
    sourceMarkdown: markdown,
    link,
    sourceMention: mention,
    sourceChannel: channel,
  };
  return { ...SHARED, handlers: handlers as NonNullable<Options["handlers"]> };
}

/** Returns a link to what was taken with its address in Parley. A label that was the old address changes with it. */
function movedLink(node: Link, names: Names): Link {
  const target = node.data?.target;
  const url = target === undefined ? null : names.address(target.channelId, target.messageId);
  if (url === null) return node;
  const children: PhrasingContent[] = isBare(node) ? [{ type: "text", value: url }] : node.children;
  return { ...node, url, children };
}

/** True for a link that shows its own address. */
function isBare({ url, children: [label, ...more] }: Link): boolean {
  return label?.type === "text" && more.length === 0 && (label.value === url || `mailto:${label.value}` === url);
}

/** An address that readers recognise without brackets, also at the end of a sentence. */
const BARE = /^https?:\/\/[^\s<>*_~`[\]()]*[A-Za-z0-9/]$/;

/** Spaces, brackets and control characters are encoded, so the address needs no signs around it. */
const destination = (url: string): string =>
  url.replace(/[\s<>()\\\p{Cc}]/gu, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, "0")}`);

/** Puts the names where their marks are, and says where they are. */
function withMentions(text: string, found: readonly { type: "user" | "agent"; name: string }[]): PrintedText {
  if (found.length === 0) return { content: text, mentions: [] };
  const mentions: RecordMention[] = [];
  let [content, from] = ["", 0];
  for (const mark of text.matchAll(MARK)) {
    const person = found[Number(mark[1])];
    if (person === undefined) continue;
    content += text.slice(from, mark.index);
    mentions.push({ ...person, offset: content.length, length: person.name.length + 1 });
    content += `@${person.name}`;
    from = mark.index + mark[0].length;
  }
  return { content: content + text.slice(from), mentions };
}
