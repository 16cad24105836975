import type { PhrasingContent } from "mdast";
import { matchAt } from "../../text/inline-text.ts";
import type { Found } from "../../text/line-reader.ts";
import { addressAt, linkAt, linkTo } from "../../text/links.ts";
import { emojiNamed } from "../zulip-emoji.ts";
import { uploadOf } from "../zulip-files.ts";
import type { Reading } from "../zulip-reading.ts";
import { targetOf } from "./narrow.ts";

/** The names and places that texts refer to, and where the files of a text are noted. */
export type Names = Pick<Reading, "realm" | "index"> & { readonly uploads?: Map<string, string> };

const PERSON = /@(_?)\*\*([^*\n]{1,300})\*\*/y;
const GROUP = /@(_?)\*([^*\n]{1,300})\*/y;
const CHANNEL = /#\*\*([^*>\n]{1,300})(?:>((?:[^*\n]|\*(?!\*)){0,300}))?\*\*/y;
const TIME = /<time:([^>\n]{1,100})>/y;
const EMOJI = /:([a-z0-9_+-]{1,100}):/y;
const MATH = /\$\$[^$\n]{1,2000}\$\$/y;
const EVERYBODY = new Set(["all", "everyone", "channel", "stream", "topic"]);

/** The characters that may begin something (`LineRules.signs`). */
export const SIGNS = "@#<:$[!h";

/** Reads what Zulip writes in a special way; null if there is nothing of it at this place. */
export function special(line: string, at: number, names: Names): Found | null {
  switch (line[at]) {
    case "@":
      return mention(line, at, names);
    case "#":
      return channel(line, at, names);
    case "<":
      return found(TIME, line, at, (seconds) => timeNode(seconds));
    case ":":
      return found(EMOJI, line, at, (name) => emojiNode(name, names));
    case "$":
      // Nothing in a formula may be escaped, so it is printed as it is.
      return found(MATH, line, at, (_, all) => ({ type: "html", value: all }));
    case "h":
      return address(line, at, names);
    default:
      return link(line, at, names);
  }
}

/** Reads one thing that a pattern describes by its first group. */
function found(
  pattern: RegExp,
  line: string,
  at: number,
  make: (group: string, all: string) => PhrasingContent | null,
): Found | null {
  const [all, group = ""] = matchAt(pattern, line, at);
  const node = all === undefined ? null : make(group, all);
  return node === null ? null : { nodes: [node], end: at + (all ?? "").length };
}

const text = (value: string): PhrasingContent => ({ type: "text", value });

function mention(line: string, at: number, { realm }: Names): Found | null {
  const [all, silent, words = ""] = matchAt(PERSON, line, at);
  if (all === undefined) {
    const [group, silently, name = ""] = matchAt(GROUP, line, at);
    return group === undefined ? null : { nodes: [text(silently ? name : `@${name}`)], end: at + group.length };
  }
  const [, name = words, id] = /^(.*?)\|(\d{1,16})$/.exec(words) ?? [];
  const userId = id ?? realm.userIds.get(name);
  const shown = (userId === undefined ? undefined : realm.names.get(userId)) ?? name;
  const end = at + all.length;
  if (silent !== "") return { nodes: [text(shown)], end };
  if (userId === undefined || EVERYBODY.has(words)) return { nodes: [text(`@${shown}`)], end };
  return { nodes: [{ type: "sourceMention", userId, label: `@${shown}` }], end };
}

/** `#**stream**`, `#**stream>topic**`, and with the message: `#**stream>topic@17**`. */
function channel(line: string, at: number, { realm, index }: Names): Found | null {
  const [all, name = "", place] = matchAt(CHANNEL, line, at);
  if (all === undefined) return null;
  const end = at + all.length;
  const stream = realm.streams.get(realm.streamIds.get(name.toLowerCase()) ?? "");
  const [, topic = place ?? "", message] = /^(.*)@(\d{1,16})$/.exec(place ?? "") ?? [];
  const label = topic === "" ? `#${name}` : `#${name} > ${topic}`;
  if (stream === undefined) return { nodes: [text(label)], end };
  if (place === undefined) return { nodes: [{ type: "sourceChannel", channelId: stream.id, label }], end };
  const messageId = message ?? index.rootOf({ recipient: stream.recipient, topic });
  return { nodes: [linkTo("", label, { channelId: stream.id, messageId })], end };
}

/** A time is that of UTC: readers of Parley are in all zones. */
function timeNode(words: string): PhrasingContent {
  const time = /^\d{1,12}$/.test(words) ? Number(words) * 1000 : Date.parse(words);
  const isTime = Number.isFinite(time) && Math.abs(time) < 8.64e15;
  return text(isTime ? `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC` : words);
}

function emojiNode(name: string, { realm }: Names): PhrasingContent | null {
  const emoji = emojiNamed(name, realm);
  return emoji === undefined ? null : text(emoji);
}

function address(line: string, at: number, names: Names): Found | null {
  const url = addressAt(line, at);
  return url === undefined ? null : { nodes: nodesOf(url, url, names), end: at + url.length };
}

function link(line: string, at: number, names: Names): Found | null {
  const read = linkAt(line, at);
  return read === undefined ? null : { nodes: nodesOf(read.url, read.label, names), end: read.end };
}

/** A link to a file becomes the file. Its words stay within a sentence. */
function nodesOf(url: string, label: string, names: Names): PhrasingContent[] {
  const upload = uploadOf(url);
  if (upload === undefined) return [linkTo(url, label, targetOf(url, names))];
  names.uploads?.set(upload, label === url ? "" : label);
  return [text(label === url ? "" : label)];
}
