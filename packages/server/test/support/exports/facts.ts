import type { FileRecord } from "@parley/protocol/files";
import type { Db } from "../../../src/db/db.ts";
import type { RecordMention } from "../../../src/event-log/message-json.ts";
import { channelsIn } from "./room-names.ts";

/** A message as two servers can be compared: with names, and with places instead of ids. */
export interface MessageFacts {
  text: string;
  at: number;
  sender: string;
  /** The place of the thread's root in the channel; null: none. */
  root: number | null;
  isAlso: boolean;
  edited: number | null;
  isDeleted: boolean;
  isPinned: boolean;
  mentions: string[];
  reactions: Record<string, string[]>;
  files: { name: string; sha256: string }[];
}

/** Returns the messages of all channels, by what names the channel on any server. Names are in lower case. */
export async function factsOf(db: Db): Promise<Record<string, MessageFacts[]>> {
  const all: Record<string, MessageFacts[]> = {};
  for (const [id, name] of await channelsIn(db)) all[name] = await messagesIn(db, id);
  return all;
}

async function messagesIn(db: Db, channelId: number): Promise<MessageFacts[]> {
  const rows = await db.selectFrom("messages").selectAll().where("channel_id", "=", channelId).orderBy("seq").execute();
  const kept = rows.filter(({ deleted_at, thread }) => deleted_at === null || thread !== null);
  const places = new Map(kept.map(({ id }, place) => [id, place]));
  const facts: MessageFacts[] = [];
  for (const row of kept) {
    const isDeleted = row.deleted_at !== null;
    facts.push({
      text: isDeleted ? "" : row.content,
      at: row.created_at,
      sender: isDeleted ? "" : row.sender_name.toLowerCase(),
      root: row.thread_root_id === null ? null : (places.get(row.thread_root_id) ?? -1),
      isAlso: row.also_in_channel === 1,
      edited: row.edited_at,
      isDeleted,
      isPinned: row.pinned_at !== null,
      mentions: (JSON.parse(row.mentions ?? "[]") as RecordMention[]).map(({ name }) => name.toLowerCase()),
      reactions: await reactionsTo(db, row.id),
      files: (JSON.parse(row.files ?? "[]") as FileRecord[]).map(({ name, sha256 }) => ({ name, sha256 })),
    });
  }
  return facts;
}

async function reactionsTo(db: Db, messageId: number): Promise<Record<string, string[]>> {
  const rows = await db
    .selectFrom("reactions")
    .innerJoin("users", "users.id", "reactions.actor_id")
    .select(["reaction", "username"])
    .where("message_id", "=", messageId)
    .execute();
  const kinds = Object.groupBy(rows, ({ reaction }) => reaction);
  return Object.fromEntries(
    Object.entries(kinds).map(([kind, people = []]) => [
      kind,
      people.map(({ username }) => username.toLowerCase()).sort(),
    ]),
  );
}

/** Returns the members of all channels, by what names the channel on any server. */
export async function membersOf(db: Db): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {};
  for (const [id, name] of await channelsIn(db)) {
    const users = db.selectFrom("channel_members").innerJoin("users", "users.id", "channel_members.user_id");
    const rows = await users.select("username").where("channel_id", "=", id).execute();
    all[name] = rows.map(({ username }) => username.toLowerCase()).sort();
  }
  return all;
}
