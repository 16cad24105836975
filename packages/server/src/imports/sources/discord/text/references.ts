import type { LinkData, PhrasingContent } from "mdast";

/** The names of what texts refer to. */
export interface DiscordNames {
  person(id: string): string | undefined;
  role(id: string): string | undefined;
  channel(id: string): string | undefined;
  /** Returns the id of the only channel with this name; undefined if there is none, or more than one. */
  channelNamed(name: string): string | undefined;
  /** Returns the place to which a link of Discord leads, if the export has the channel or thread. */
  target(channelId: string, messageId: string | null): LinkData["target"];
}

/** The things to which a text may refer: those of the export, and those that its message names. */
export interface TextContext {
  readonly names: DiscordNames;
  /** The people whom the message mentions, those with the longest names first. */
  readonly mentioned: readonly { readonly id: string; readonly name: string }[];
  /** The names of emoji that the server made itself. */
  readonly ownEmoji: ReadonlySet<string>;
}

/** A reference between `<` and `>`: to a person, role, channel, emoji, time, command or address. */
export const REFERENCE =
  /<(?:(@!?|@&|#)(\d{1,20})|a?:(\w{1,64}):\d{1,20}|t:(-?\d{1,13})(?::[a-zA-Z])?|\/([\p{L}\p{N} _-]{1,100}):\d{1,20}|id:(\w{1,20})|(https?:\/\/[^\s<>]+))>/uy;
const MESSAGE_LINK =
  /^https:\/\/(?:(?:ptb|canary)\.)?discord(?:app)?\.com\/channels\/(?:\d{1,20}|@me)\/(\d{1,20})(?:\/(\d{1,20}))?\/?(?:[?#]|$)/i;

const text = (value: string): PhrasingContent => ({ type: "text", value });

/** Returns what Discord shows for the groups of `REFERENCE`. */
export function reference(
  [, kind, id = "", emoji, seconds, command, guide, address]: readonly (string | undefined)[],
  { names }: TextContext,
): PhrasingContent {
  if (kind === "#") return channelName(id, names.channel(id) ?? "unknown-channel");
  if (kind === "@&") return text(`@${names.role(id) ?? "unknown-role"}`);
  if (kind !== undefined) return mention(id, names.person(id) ?? id);
  if (emoji !== undefined) return text(`:${emoji}:`);
  if (seconds !== undefined) return text(timeIn(Number(seconds)));
  if (address !== undefined) return link(address, [], names);
  return text(command === undefined ? `#${guide}` : `/${command}`);
}

export const mention = (userId: string, name: string): PhrasingContent => ({
  type: "sourceMention",
  userId,
  label: `@${name}`,
});

export const channelName = (channelId: string, name: string): PhrasingContent => ({
  type: "sourceChannel",
  channelId,
  label: `#${name}`,
});

function timeIn(seconds: number): string {
  const at = new Date(seconds * 1000);
  return Number.isNaN(at.getTime()) ? "Invalid date" : `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** Returns a link, which shows its address if it has no label. */
export function link(url: string, label: readonly PhrasingContent[], names: DiscordNames): PhrasingContent {
  const [, channelId, messageId = null] = MESSAGE_LINK.exec(url) ?? [];
  const target = channelId === undefined ? undefined : names.target(channelId, messageId);
  return {
    type: "link",
    url,
    children: label.length === 0 ? [{ type: "text", value: url }] : [...label],
    ...(target === undefined ? {} : { data: { target } }),
  };
}
