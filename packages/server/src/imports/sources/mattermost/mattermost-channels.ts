import type { Item, SourceChannel } from "../../source.ts";
import type { Directory, TeamChannel } from "./directory.ts";
import { cleanText } from "./text/markdown.ts";

/** Mattermost makes such a name of a display name that has no Latin letters. */
const MADE_UP = /^[a-z0-9]{26}$/;

/** Returns the channels of all teams, and the conversations. */
export async function* readChannels(directory: Directory): AsyncGenerator<Item<SourceChannel>> {
  for (const [id, channel] of directory.channels) yield { item: channelOf(id, channel, directory) };
  for (const [id, memberIds] of directory.conversations) {
    if (memberIds.length < 2) yield { leftOut: { kind: "direct", reason: "with_oneself", example: id } };
    else yield { item: conversationOf(id, memberIds) };
  }
}

function channelOf(id: string, channel: TeamChannel, directory: Directory): SourceChannel {
  const { team, name, displayName, isOpen, topic, isArchived, members, admin } = channel;
  const kind = isOpen && directory.isForAll(team) ? "public" : "private";
  const nameOf = (number: number): string => directory.usernames[number] ?? "";
  return {
    id,
    name: MADE_UP.test(name) && displayName !== "" ? displayName : name,
    kind,
    topic: cleanText(topic),
    isArchived,
    // An export does not say who created a channel. A private one belongs to its first administrator.
    creatorId: kind === "public" || admin === null ? null : nameOf(admin),
    memberIds: [...members].map(nameOf),
    createdAt: null,
  };
}

const conversationOf = (id: string, memberIds: readonly string[]): SourceChannel => ({
  id,
  name: "",
  kind: memberIds.length === 2 ? "direct" : "group",
  topic: "",
  isArchived: false,
  creatorId: null,
  memberIds,
  createdAt: null,
});
