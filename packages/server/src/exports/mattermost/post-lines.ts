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
  const { out } = reading;
  const [first, ...more] = await postsOf(reading, exported);
  if (first === undefined) return;
  if (exported.replies === 0) await out.write(lineOf(reading, first));
  else await writeThread(reading, exported.row.id, first);
  for (const post of more) await out.write(lineOf(reading, post));
}

const lineOf = ({ type, place }: Reading, post: Post): string =>
  `${JSON.stringify({ type, [type]: { ...place, ...post } })}\n`;

/** Mattermost reads lines of 16 MiB at most. */
const LINE_MAX = 12 * 1024 * 1024;

/** Writes a post with its replies. If the line becomes too long, another post goes on with the thread. */
async function writeThread(reading: Reading, rootId: number, root: Post): Promise<void> {
  const { out } = reading;
  let line = { begin: openLine(reading, root), bytes: 0 };
  for await (const reply of replyPosts(reading, rootId)) {
    if (line.bytes > LINE_MAX) {
      await out.write("]}}\n");
      const goesOn = { user: root.user, type: "", message: "(the thread goes on)", create_at: reply.create_at };
      line = { begin: openLine(reading, goesOn), bytes: 0 };
    }
    const text = JSON.stringify(reply);
    await out.write(line.begin + text);
    line = { begin: ",", bytes: line.bytes + Buffer.byteLength(text) };
  }
  await out.write(line.begin === "," ? "]}}\n" : `${line.begin}]}}\n`);
}

/** Returns a line up to its first reply. */
const openLine = (reading: Reading, post: Post): string => `${lineOf(reading, post).slice(0, -3)},"replies":[`;

async function* replyPosts(reading: Reading, rootId: number): AsyncGenerator<Post> {
  const { work } = reading;
  for (let seq = 0; ; ) {
    const rows = await repliesAfter(work.db, rootId, seq, PAGE_ROWS);
    for (const exported of await exportedOf(work, rows)) {
      if (exported.sender === null) continue;
      const [first, ...more] = await postsOf(reading, exported);
      const isAlso = exported.row.also_in_channel === 1;
      if (first !== undefined) yield isAlso ? { ...first, props: { also_in_channel: true } } : first;
      yield* more;
    }
    if (rows.length < PAGE_ROWS) return;
    seq = rows.at(-1)?.seq ?? seq;
  }
}

/** A post or reply, with more fields. */
interface Post {
  readonly user: string;
  readonly message: string;
  readonly create_at: number;
  readonly [field: string]: unknown;
}

/** Returns a message as posts: one, or several if its text is longer than a post. Everything but the text is at the first. */
async function postsOf(reading: Reading, exported: ExportMessage | AbsentRoot): Promise<Post[]> {
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
function absentPost({ work, times }: Reading, { row }: AbsentRoot): Post {
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
