import type { Channel, ChatMessage } from "@parley/protocol/models";
import type { ActorKind } from "@parley/protocol/values";
import type { UserClient } from "@parley/sdk";

/** Somebody whom a message mentions and who cannot read it where it is. */
export interface Absent {
  kind: ActorKind;
  name: string;
}

/** Of a longer list of members the rest is not read, and then nobody is said to be absent. */
const MEMBERS_MAX = 2_000;
/** A name that agents share. */
const SHARED_NAME = "PlatformAgent";

const keyOf = ({ kind, name }: Absent): string => `${kind} ${name.toLowerCase()}`;

/** Returns each user and agent whom the text itself mentions, once. A mention inside a quote does not count. */
export function mentionedIn({ mentions }: ChatMessage): Absent[] {
  const named = mentions
    .filter(({ quoted, name }) => quoted !== true && name !== SHARED_NAME)
    .flatMap(({ type, name }): Absent[] => (type === "here" ? [] : [{ kind: type, name }]));
  return [...new Map(named.map((each) => [keyOf(each), each])).values()];
}

/** True if only members read the channel. */
export const isClosed = ({ is_private, price }: Channel): boolean => is_private || price !== null;

/**
 * Returns those who are not among the members of a channel that only members read. It reads the list that every member
 * may read, and nothing else. `here`: names that are known to take part, such as an agent's second one, which the list
 * does not have.
 */
export async function notMembers(
  { channels }: UserClient,
  channelId: number,
  mentioned: readonly Absent[],
  here: ReadonlySet<string>,
): Promise<Absent[]> {
  const left = new Map(mentioned.map((each) => [keyOf(each), each]));
  for (const each of mentioned) if (here.has(each.name)) left.delete(keyOf(each));
  let read = 0;
  for await (const { kind, name } of channels.members(channelId, { limit: 200 })) {
    if (left.size === 0) return [];
    left.delete(keyOf({ kind, name }));
    read += 1;
    if (read === MEMBERS_MAX) return [];
  }
  return [...left.values()];
}

/** Returns those who are banned from a channel, for its admins, who may read its bans. */
export async function bannedFrom(
  { channels }: UserClient,
  channelId: number,
  mentioned: readonly Absent[],
): Promise<Absent[]> {
  const { bans } = await channels.bans(channelId);
  const keys = new Set(bans.map(({ kind, name }) => keyOf({ kind, name })));
  return mentioned.filter((each) => keys.has(keyOf(each)));
}
