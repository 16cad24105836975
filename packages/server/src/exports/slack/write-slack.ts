import type { ExportWork } from "../export-work.ts";
import { oldestChannel } from "../read/channels.store.ts";
import { channelMembers, type ExportChannel, type Membership } from "../read/channels.ts";
import { serverEmoji } from "../read/emoji.store.ts";
import { writeFileBytes } from "../read/files.ts";
import { FileQueue } from "../target/file-queue.ts";
import { folderOf, writeMessages } from "./channel-files.ts";
import { type Listed, writeChannels, writeUsers } from "./lists.ts";
import { channelId, teamId } from "./slack-ids.ts";

/** Writes what Slack's own export has, with the bytes of files as slack-advanced-exporter adds them. */
export async function writeSlack(work: ExportWork): Promise<void> {
  await using queue = new FileQueue(`${work.target.path}.files.partial`);
  const listed: Listed[] = [];
  for (const channel of work.channels) {
    const members = await channelMembers(work.db, work.people, channel);
    if (channel.kind === "direct" && members.length < 2) {
      leaveOut(work, channel);
      continue;
    }
    const name = nameOf(channel, members);
    const pins = await writeMessages(work, channel, folderOf(channel, name), queue);
    listed.push({ channel, name, pins });
    work.tally.take("channels");
  }
  for await (const { path, file } of queue.files()) await writeFileBytes(work, path, file);
  for (const { name } of await serverEmoji(work.db))
    work.tally.leaveOut({ kind: "emoji", reason: "not_in_format", example: name });
  await writeChannels(work, listed);
  await writeUsers(work, teamId(await oldestChannel(work.db)));
}

/** A conversation with an account that is left out. */
function leaveOut({ tally }: ExportWork, { id, messages }: ExportChannel): void {
  tally.leaveOut({ kind: "direct", reason: "nobody_else", example: String(id) });
  tally.leaveOut({ kind: "message", reason: "nobody_else", example: String(id), times: messages });
}

/** Slack names a conversation of several people after them. Two of the same people have different ids. */
function nameOf(channel: ExportChannel, members: readonly Membership[]): string {
  if (channel.kind !== "group") return channel.slug;
  const names = members.map(({ person }) => person.handle).join("--");
  return `mpdm-${names.slice(0, 120)}-${channelId(channel).toLowerCase()}`;
}
