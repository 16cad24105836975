import type { ExportWork } from "../export-work.ts";
import { diskName } from "../read/files.ts";
import { repliesAfter, rootsAfter, timesApart } from "../read/messages.store.ts";
import { type AbsentRoot, type Exported, type ExportMessage, exportedOf, PAGE_ROWS } from "../read/messages.ts";
import type { FileQueue } from "../target/file-queue.ts";
import type { TargetFile } from "../target/target.ts";
import { mattermostName } from "./mattermost-emoji.ts";
import { postTexts } from "./mattermost-text.ts";
import type { Room } from "./rooms.ts";

/** Where posts are written. */
export interface PostWriter {
  readonly work: ExportWork;
  readonly out: TargetFile;
  readonly queue: FileQueue;
  readonly team: string;
}

/** A channel whose posts are written. */
interface Reading extends PostWriter {
  readonly type: "post" | "direct_post";
  /** The fields that say where a post is. */
  readonly place: object;
  /** Times of posts whose sender wrote another one in the same millisecond: by author and time Mattermost knows a post. */
  readonly times: ReadonlyMap<number, number>;
}

/** Writes the posts of a channel: each with the replies in its thread, which are read in pages. */
export async function writePosts(writer: PostWriter, room: Room): Promise<void> {
  const { work, team } = writer;
  const reading: Reading = {
    ...writer,
    type: room.members === null ? "post" : "direct_post",
    place: room.members === null ? { team, channel: room.slug } : { channel_members: room.members },
    times: await timesApart(work.db, room.id),
  };
  for (let seq = 0; ; ) {
    const rows = await rootsAfter(work.db, room.id, seq, PAGE_ROWS);
    for (const exported of await exportedOf(work, rows)) await writePost(reading, exported);
    if (rows.length < PAGE_ROWS) return;
    seq = rows.at(-1)?.seq ?? seq;
  }
}

async function writePost(reading: Reading, exported: Exported): Promise<void> {
  const { out, type, place } = reading;
  const [first, ...more] = await postsOf(reading, exported);
  const line = JSON.stringify({ type, [type]: { ...place, ...first } });
  if (exported.replies === 0) await out.write(`${line}\n`);
  else {
    await out.write(`${line.slice(0, -2)},"replies":[`);
    await writeReplies(reading, exported.row.id);
    await out.write("]}}\n");
  }
  for (const post of more) await out.write(`${JSON.stringify({ type, [type]: { ...place, ...post } })}\n`);
}

async function writeReplies(reading: Reading, rootId: number): Promise<void> {
  const { work, out } = reading;
  let comma = "";
  for (let seq = 0; ; ) {
    const rows = await repliesAfter(work.db, rootId, seq, PAGE_ROWS);
    for (const exported of await exportedOf(work, rows)) {
      if (exported.sender === null) continue;
      const isAlso = exported.row.also_in_channel === 1;
      const [first, ...more] = await postsOf(reading, exported);
      const replies = [isAlso ? { ...first, props: { also_in_channel: true } } : first, ...more];
      for (const reply of replies) {
        await out.write(`${comma}${JSON.stringify(reply)}`);
        comma = ",";
      }
    }
    if (rows.length < PAGE_ROWS) return;
    seq = rows.at(-1)?.seq ?? seq;
  }
}

/** Returns a message as posts: one, or several if its text is longer than a post. Everything but the text is at the first. */
async function postsOf(reading: Reading, exported: ExportMessage | AbsentRoot): Promise<object[]> {
  const { work } = reading;
  if (exported.sender === null) return [absentPost(reading, exported)];
  const { row, sender } = exported;
  const at = timeOf(reading, row);
  const [first = "", ...more] = postTexts(exported, work.people);
  const facts = {
    user: sender.handle,
    type: "",
    message: first,
    create_at: at,
    ...(row.edited_at === null ? {} : { edit_at: Math.max(row.edited_at, at) }),
    ...(row.pinned_at === null ? {} : { is_pinned: true }),
    ...reactionsOf(reading, exported, at),
    ...(await attachmentsOf(reading, exported)),
  };
  return [
    facts,
    ...more.map((message, part) => ({ user: sender.handle, type: "", message, create_at: at + part + 1 })),
  ];
}

function timeOf({ times, work }: Reading, row: ExportMessage["row"]): number {
  const at = times.get(row.id);
  if (at !== undefined) work.tally.change("messages");
  return at ?? row.created_at;
}

/** A post that is not there, but has replies. */
function absentPost({ work, times }: Reading, { row }: AbsentRoot): object {
  const sender = work.people.senderOf(row);
  const user = (sender?.isTaken === true ? sender : work.people.deletedUser()).handle;
  const message = row.deleted_at === null ? "(message not exported)" : "(message deleted)";
  const at = times.get(row.id) ?? row.created_at;
  // Mattermost knows no deleted posts, and passes over the time; Parley makes a deleted message of it.
  return { user, type: "", message, create_at: at, delete_at: row.deleted_at ?? at };
}

function reactionsOf({ work }: Reading, { row, reactions }: ExportMessage, at: number): object {
  const list = reactions.flatMap(({ reaction, people }) => {
    const emoji_name = mattermostName(reaction);
    if (emoji_name !== undefined)
      return people.map((given) => ({ user: given.person.handle, create_at: Math.max(given.at, at), emoji_name }));
    work.tally.take("reactions", -people.length);
    work.tally.leaveOut({ kind: "reaction", reason: "no_name", example: String(row.id), times: people.length });
    return [];
  });
  return list.length === 0 ? {} : { reactions: list };
}

async function attachmentsOf({ queue }: Reading, { files }: ExportMessage): Promise<object> {
  const attachments: { path: string }[] = [];
  for (const file of files) {
    const path = `files/${file.id}/${diskName(file.name)}`;
    await queue.add({ path: `data/${path}`, file });
    attachments.push({ path });
  }
  return attachments.length === 0 ? {} : { attachments };
}
