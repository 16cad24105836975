import type { LinkData, PhrasingContent } from "mdast";
import { emojiOfName } from "../../emoji-names.ts";
import { characterBefore, matchAt } from "../../text/inline-text.ts";
import type { Found } from "../../text/line-reader.ts";
import { addressAt, linkAt, linkTo } from "../../text/links.ts";
import type { Server } from "../rocketchat-server.ts";

/** The names to which texts refer. */
export interface Names {
  readonly server: Pick<Server, "hosts" | "userIds" | "names" | "rooms" | "roomIds" | "ownEmoji">;
  /** People and rooms that the message itself says its text names, by their names. */
  readonly people?: ReadonlyMap<string, string>;
  readonly channels?: ReadonlyMap<string, string>;
}

const PERSON = /@([\p{L}\p{N}_.-]{1,100})/uy;
const CHANNEL = /#([\p{L}\p{N}_.-]{1,200})/uy;
const EMOJI = /:([a-z0-9_+-]{1,100}?)(?:_tone([1-5]))?:/y;
/** Slack writes links so, too. */
const ANGLED = /<(https?:\/\/[^\s<>|]{1,4000})\|([^<>\n]{1,500})>/y;
const SPOILER = /\|\|([^|\n]{1,4000})\|\|/y;
const MESSAGE =
  /^(?:https?:\/\/([^/?#]{1,300}))?\/(?:channel|group|direct)\/([^/?#]{1,300})\/?(?:[^?#]*)(?:\?(?:[^#]*&)?msg=([\w-]{1,100}))?/;
const WORD = /[\p{L}\p{N}_]/u;

/** The characters that may begin something (`LineRules.signs`). */
export const SIGNS = "@#:<|h[!";

/** Reads what Rocket.Chat writes in a special way; null if there is nothing of it at this place. */
export function special(line: string, at: number, names: Names): Found | null {
  switch (line[at]) {
    case "@":
      return person(line, at, names);
    case "#":
      return channel(line, at, names);
    case ":":
      return emoji(line, at, names);
    case "<": {
      const [all, url = "", label = ""] = matchAt(ANGLED, line, at);
      return all === undefined ? null : found(linkTo(url, label, targetOf(url, names)), at + all.length);
    }
    case "|": {
      const [all, words = ""] = matchAt(SPOILER, line, at);
      return all === undefined ? null : found(text(words), at + all.length);
    }
    case "h": {
      const url = addressAt(line, at);
      return url === undefined ? null : found(linkTo(url, url, targetOf(url, names)), at + url.length);
    }
    default: {
      const link = linkAt(line, at);
      return link === undefined ? null : found(linkTo(link.url, link.label, targetOf(link.url, names)), link.end);
    }
  }
}

const found = (node: PhrasingContent, end: number): Found => ({ nodes: [node], end });
const text = (value: string): PhrasingContent => ({ type: "text", value });

/** A name may end with a dot that ends the sentence. */
const candidates = (name: string): string[] => [name, name.replace(/[.-]{1,100}$/, "")];

function person(line: string, at: number, { server, people }: Names): Found | null {
  if (WORD.test(characterBefore(line, at))) return null;
  const [, written = ""] = matchAt(PERSON, line, at);
  for (const name of candidates(written)) {
    const userId = people?.get(name) ?? server.userIds.get(name);
    if (userId === undefined || name === "") continue;
    return found(
      { type: "sourceMention", userId, label: `@${server.names.get(userId) ?? name}` },
      at + 1 + name.length,
    );
  }
  return null;
}

function channel(line: string, at: number, { server, channels }: Names): Found | null {
  if (WORD.test(characterBefore(line, at))) return null;
  const [, written = ""] = matchAt(CHANNEL, line, at);
  for (const name of candidates(written)) {
    const channelId = channels?.get(name) ?? server.roomIds.get(name);
    if (channelId === undefined || name === "") continue;
    const label = `#${server.rooms.get(channelId)?.name ?? name}`;
    return found({ type: "sourceChannel", channelId, label }, at + 1 + name.length);
  }
  return null;
}

/** Tones are numbers from one, where Slack counts from two. */
function emoji(line: string, at: number, { server }: Names): Found | null {
  const [all, name = "", tone] = matchAt(EMOJI, line, at);
  if (all === undefined || server.ownEmoji.has(name)) return null;
  const sign = emojiNamed(name, tone);
  return sign === undefined ? null : found(text(sign), at + all.length);
}

export const emojiNamed = (name: string, tone?: string): string | undefined =>
  emojiOfName(tone === undefined ? name : `${name}::skin-tone-${Number(tone) + 1}`);

/** Returns the message or room of the server to which an address leads. */
export function targetOf(address: string, { server }: Pick<Names, "server">): LinkData["target"] {
  const [all, host, place = "", messageId = null] = MESSAGE.exec(address) ?? [];
  if (all === undefined || (host !== undefined && !server.hosts.has(host.toLowerCase()))) return undefined;
  const name = decoded(place);
  const channelId = server.rooms.has(name) ? name : server.roomIds.get(name);
  return channelId === undefined ? undefined : { channelId, messageId };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
