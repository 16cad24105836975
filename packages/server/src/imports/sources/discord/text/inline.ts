import type { PhrasingContent } from "mdast";
import { emojiOfDiscordName } from "../../emoji-names.ts";
import {
  addMarked,
  addNodes,
  addText,
  characterAfter,
  characterBefore,
  closeTo,
  type Frame as FrameOf,
  isSpace,
  matchAt,
  WORD,
} from "../../text/inline-text.ts";
import { channelName, link, mention, REFERENCE, reference, type TextContext } from "./references.ts";

type Mark = "**" | "*" | "__" | "_" | "~~" | "||";
type Frame = FrameOf<Mark>;

/** The nodes of marks. CommonMark has no underlines, and a spoiler is only its text. */
const NODE = { "**": "strong", "*": "emphasis", __: "emphasis", _: "emphasis", "~~": "delete", "||": null } as const;
/** Deeper marks are text: nobody nests so many, and the work stays in proportion to the text. */
const OPEN_MAX = 16;
/** Characters that may begin something; everything before them is text. */
const PLAIN = /(?:[^\\*_~|`<[@#:h]|h(?!ttps?:\/\/))+/y;
const ESCAPED = /\\([^a-zA-Z0-9\s])/uy;
/** Discord does not take its signs for marks. */
const SHRUG = "\\_(ツ)_/¯";
/** Between two backticks, there may be one. */
const CODE = /``((?:[^`]|`(?!`))+)``(?!`)|`([^`]+)`(?!`)/y;
const MASKED = /\[([^[\]\n]+)\]\(<?(https?:\/\/(?:[^\s()<>]|\([^\s()<>]*\))+)>?(?: "[^"\n]*")?\)/y;
const ADDRESS = /https?:\/\/[^\s<>]+/y;
/** Signs after an address that belong to the sentence. */
const AFTER = /[.,:;!?"'*_~|\])]+$/;
const CHANNEL = /#([\p{L}\p{N}\p{M}_-]{1,100})/uy;
const EMOJI = /:(\w{1,64}|[a-z0-9_+'-]{1,64}(?:::skin-tone-[2-6])?):/y;

/** Reads the words of a block of Discord's Markdown. */
export function inlineOf(text: string, context: TextContext): PhrasingContent[] {
  const frames: Frame[] = [{ mark: null, nodes: [] }];
  for (let at = 0; at < text.length; ) at = readOne(text, at, frames, context);
  closeTo(frames, 0);
  return frames[0]?.nodes ?? [];
}

/** Reads what is at this place, and returns where the next begins. */
function readOne(text: string, at: number, frames: Frame[], context: TextContext): number {
  const nodes = frames.at(-1)?.nodes ?? [];
  const sign = text[at] ?? "";
  switch (sign) {
    case "\\":
      return readEscape(text, at, nodes);
    case "*":
    case "_":
    case "~":
    case "|":
      return readMark(text, at, frames);
    default: {
      const [node, length] = nodeAt(text, at, sign, context) ?? [];
      if (node === undefined || length === undefined) {
        return addText(nodes, matchAt(PLAIN, text, at)[0] ?? sign, at);
      }
      addNodes(nodes, [node]);
      return at + length;
    }
  }
}

function readEscape(text: string, at: number, nodes: PhrasingContent[]): number {
  if (text.startsWith(SHRUG, at)) return addText(nodes, SHRUG, at);
  const [all = "\\", character = "\\"] = matchAt(ESCAPED, text, at);
  addText(nodes, character, at);
  return at + all.length;
}

type Found = [node: PhrasingContent, length: number];

/** Returns what begins with a sign, and its length; undefined if the sign is text. */
function nodeAt(text: string, at: number, sign: string, context: TextContext): Found | undefined {
  switch (sign) {
    case "`": {
      const [all, wide, narrow = ""] = matchAt(CODE, text, at);
      return all === undefined ? undefined : [{ type: "inlineCode", value: wide?.trim() || narrow }, all.length];
    }
    case "<": {
      const groups = matchAt(REFERENCE, text, at);
      return groups[0] === undefined ? undefined : [reference(groups, context), groups[0].length];
    }
    case "[": {
      const [all, label = "", url = ""] = matchAt(MASKED, text, at);
      return all === undefined ? undefined : [link(url, labelOf(label, context), context.names), all.length];
    }
    case "h": {
      const url = addressAt(text, at);
      return url === undefined ? undefined : [link(url, [], context.names), url.length];
    }
    case "@":
      return mentionAt(text, at, context);
    case "#": {
      const [all, name = ""] = WORD.test(characterBefore(text, at)) ? [] : matchAt(CHANNEL, text, at);
      const id = context.names.channelNamed(name);
      return all === undefined || id === undefined ? undefined : [channelName(id, name), all.length];
    }
    case ":": {
      const [all, name = ""] = matchAt(EMOJI, text, at);
      const emoji = context.ownEmoji.has(name) ? undefined : emojiOfDiscordName(name);
      return all === undefined || emoji === undefined ? undefined : [{ type: "text", value: emoji }, all.length];
    }
    default:
      return undefined;
  }
}

/** A link within the label of a link is text. */
function labelOf(label: string, context: TextContext): PhrasingContent[] {
  const nodes = inlineOf(label, context);
  return nodes.some((node) => node.type === "link") ? [{ type: "text", value: label }] : nodes;
}

/** Brackets that the address opens belong to it. */
function addressAt(text: string, at: number): string | undefined {
  const [all] = matchAt(ADDRESS, text, at);
  if (all === undefined) return undefined;
  const [after = ""] = AFTER.exec(all.slice(-64)) ?? [];
  const url = all.slice(0, all.length - after.length);
  return after.startsWith(")") && url.lastIndexOf("(") > url.lastIndexOf(")") ? `${url})` : url;
}

/** DiscordChatExporter writes the name of a mentioned person, unless it shall not format texts. */
function mentionAt(text: string, at: number, { mentioned }: TextContext): Found | undefined {
  const person = mentioned.find(({ name }) => text.startsWith(name, at + 1) && isEnd(text, at + 1, name));
  return person === undefined ? undefined : [mention(person.id, person.name), person.name.length + 1];
}

const isEnd = (text: string, at: number, name: string): boolean =>
  !WORD.test(characterBefore(name, name.length)) || !WORD.test(characterAfter(text, at + name.length));

function readMark(text: string, at: number, frames: Frame[]): number {
  const top = frames.at(-1);
  const mark = markAt(text, at, top?.mark ?? null);
  if (mark === undefined) return addText(top?.nodes ?? [], text[at] ?? "", at);
  const [before, after] = [characterBefore(text, at), characterAfter(text, at + mark.length)];
  const open = frames.findLastIndex((frame) => frame.mark === mark);
  const isOne = mark.length === 1;
  const mayClose = open > 0 && !(isOne && isSpace(before)) && !(mark === "_" && WORD.test(after));
  if (mayClose) {
    closeTo(frames, open);
    const nodes = frames.pop()?.nodes ?? [];
    addEnclosed(frames.at(-1)?.nodes ?? [], mark, nodes, after);
    return at + mark.length;
  }
  const mayOpen = after !== "" && !(isOne && isSpace(after)) && !(mark === "_" && WORD.test(before));
  if (!mayOpen || frames.length > OPEN_MAX) return addText(top?.nodes ?? [], mark, at);
  frames.push({ mark, nodes: [] });
  return at + mark.length;
}

/** Three asterisks are two marks; the one that was opened last is closed first. */
function markAt(text: string, at: number, top: Mark | null): Mark | undefined {
  const sign = text[at] ?? "";
  const isDouble = text[at + 1] === sign;
  if (sign === "~" || sign === "|") return isDouble ? (`${sign}${sign}` as Mark) : undefined;
  const closesOne = top === sign && text[at + 2] === sign;
  return (isDouble && !closesOne ? `${sign}${sign}` : sign) as Mark;
}

/** Adds what a mark encloses; one that encloses nothing is text. */
function addEnclosed(target: PhrasingContent[], mark: Mark, nodes: PhrasingContent[], after: string): void {
  const [first] = nodes;
  const isBlank = nodes.length === 0 || (nodes.length === 1 && first?.type === "text" && first.value.trim() === "");
  if (!isBlank) {
    addMarked(target, NODE[mark], nodes, after);
    return;
  }
  addText(target, mark, 0);
  addNodes(target, nodes);
  addText(target, mark, 0);
}
