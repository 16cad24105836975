import type { PhrasingContent } from "mdast";
import { emojiOf } from "./emoji.ts";
import type { MattermostNames } from "./mattermost-names.ts";

/** A part of a text that becomes something else. */
export interface Found {
  readonly from: number;
  readonly to: number;
  readonly node: PhrasingContent;
}

/** Addresses, in which nothing else is found, names after `@` and `~`, and short names of emoji. The colon after one stays. */
const TOKEN =
  /((?:https?:\/\/|www\.)[^\s<>]+)|(?<![\p{L}\p{N}\\/@])@([a-z0-9._-]+)|(?<![\p{L}\p{N}\\/~])~([a-z0-9._-]+)|:([a-z0-9_+-]+)(?=:)/giu;
/** Everybody, who is no person. */
const GROUPS = new Set(["all", "channel", "here"]);
/** Signs after a name or an address that belong to the sentence. */
const AFTER_NAME = /[._-]$/;
const AFTER_ADDRESS = /[)\]}"'|,:;!?.`*_~]$/;
const CHANNEL_LINK = /^(?:https?:\/\/[^/?#\s]+(?:\/[^/?#\s]+)?)?\/([a-z0-9-]+)\/channels\/([a-z0-9._-]+)\/?$/i;
const ADDRESS_MAX = 500;
/** Names in Mattermost have at most 64 characters. */
const NAME_MAX = 100;
const SIGNS_MAX = 20;

/** Finds the names in a text, whether it is code or not. `team`: that of the text's channel. */
export function foundIn(text: string, team: string | null, names: MattermostNames): Found[] {
  const found: Found[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [, address, person, channel, emoji] = match;
    const one =
      foundAddress(address, match.index, names) ??
      foundPerson(person, match.index, names) ??
      foundChannel(channel, match.index, team, names) ??
      foundEmoji(emoji, match.index, names);
    if (one === undefined) continue;
    found.push(one);
    TOKEN.lastIndex = one.to;
  }
  return found;
}

function foundAddress(address: string | undefined, from: number, names: MattermostNames): Found | undefined {
  if (address === undefined || address.length > ADDRESS_MAX) return undefined;
  const url = withoutEnd(address, AFTER_ADDRESS, () => false);
  const channelId = linkedChannel(url, names);
  if (channelId === undefined) return undefined;
  const children: PhrasingContent[] = [{ type: "text", value: url }];
  const node: PhrasingContent = { type: "link", url, data: { target: { channelId, messageId: null } }, children };
  return { from, to: from + url.length, node };
}

/** Returns the id of the channel to which an address leads, on whichever host: the export does not name its own. */
export function linkedChannel(url: string, names: MattermostNames): string | undefined {
  const [, team = "", name = ""] = url.length > ADDRESS_MAX ? [] : (CHANNEL_LINK.exec(url) ?? []);
  return team === "" ? undefined : names.channel(name.toLowerCase(), team.toLowerCase());
}

const isName = (word: string | undefined): word is string => word !== undefined && word.length <= NAME_MAX;

function foundPerson(word: string | undefined, from: number, names: MattermostNames): Found | undefined {
  const written = isName(word) ? withoutEnd(word, AFTER_NAME, (name) => names.isPerson(name.toLowerCase())) : "";
  const userId = written.toLowerCase();
  if (GROUPS.has(userId) || !names.isPerson(userId)) return undefined;
  const node: PhrasingContent = { type: "sourceMention", userId, label: `@${written}` };
  return { from, to: from + 1 + written.length, node };
}

function foundChannel(
  word: string | undefined,
  from: number,
  team: string | null,
  names: MattermostNames,
): Found | undefined {
  const idOf = (name: string): string | undefined => names.channel(name.toLowerCase(), team);
  const written = isName(word) ? withoutEnd(word, AFTER_NAME, (name) => idOf(name) !== undefined) : "";
  const channelId = written === "" ? undefined : idOf(written);
  if (channelId === undefined) return undefined;
  const node: PhrasingContent = { type: "sourceChannel", channelId, label: `~${written}` };
  return { from, to: from + 1 + written.length, node };
}

function foundEmoji(name: string | undefined, from: number, names: MattermostNames): Found | undefined {
  if (!isName(name) || names.hasEmoji(name)) return undefined;
  const value = emojiOf(name.toLowerCase());
  return value === undefined
    ? undefined
    : { from, to: from + name.length + 2, node: { type: "sourceMarkdown", value } };
}

/** Drops signs at the end until the rest is known, or has none. Of a long word, only some are dropped. */
function withoutEnd(word: string, sign: RegExp, isKnown: (word: string) => boolean): string {
  let end = word;
  for (let left = SIGNS_MAX; left > 0 && !isKnown(end) && sign.test(end); left -= 1) end = end.slice(0, -1);
  return end;
}
