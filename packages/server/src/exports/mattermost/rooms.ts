import type { ExportWork } from "../export-work.ts";
import { channelMembers, type ExportChannel } from "../read/channels.ts";

/** Members that a conversation of several people may have in Mattermost. */
const [GROUP_MIN, GROUP_MAX] = [3, 8];

/** A channel as Mattermost has it: a channel of the team, or a conversation, which Mattermost knows by its members. */
export type Room = ExportChannel & { readonly members: readonly string[] | null };

/**
 * Returns what becomes of the channels. A conversation that Mattermost cannot have is a private channel, and one with nobody
 * else is left out.
 */
export async function roomsOf(work: ExportWork): Promise<Room[]> {
  const [rooms, known]: [Room[], Set<string>] = [[], new Set()];
  for (const channel of work.channels) {
    if (channel.kind !== "direct" && channel.kind !== "group") {
      rooms.push({ ...channel, members: null });
      continue;
    }
    const members = (await channelMembers(work.db, work.people, channel)).map(({ person }) => person.handle).sort();
    const key = members.join(" ");
    const fits =
      channel.kind === "direct" ? members.length === 2 : members.length >= GROUP_MIN && members.length <= GROUP_MAX;
    if (members.length < 2) {
      work.tally.leaveOut({ kind: "direct", reason: "nobody_else", example: String(channel.id) });
      work.tally.leaveOut({
        kind: "message",
        reason: "nobody_else",
        example: String(channel.id),
        times: channel.messages,
      });
    } else rooms.push({ ...channel, members: fits && !known.has(key) ? members : null });
    if (fits) known.add(key);
  }
  return rooms;
}
