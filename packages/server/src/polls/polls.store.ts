import { POLL_VOTERS_SHOWN } from "@parley/protocol/poll-limits";
import type { Insertable, Selectable } from "kysely";
import type { Db } from "../db/db.ts";
import type { PollsTable, PollVotesTable } from "../db/tables/polls.ts";
import type { PageAfter } from "../user-export.ts";

export async function insertPoll(db: Db, row: Selectable<PollsTable>): Promise<void> {
  await db.insertInto("polls").values(row).execute();
}

export async function endPoll(db: Db, messageId: number, closed_at: number): Promise<void> {
  await db.updateTable("polls").set({ closed_at }).where("message_id", "=", messageId).execute();
}

/** Deletes what is stored about the polls of these messages. Their votes go with them. */
export async function deletePolls(db: Db, messageIds: readonly number[]): Promise<void> {
  await db.deleteFrom("polls").where("message_id", "in", messageIds).execute();
}

/** Returns up to `limit` open polls whose time is over, but none of deleted channels: those may be restored. */
export function duePolls(db: Db, now: number, limit: number): Promise<{ message_id: number; channel_id: number }[]> {
  return db
    .selectFrom("polls")
    .innerJoin("channels", "channels.id", "polls.channel_id")
    .select(["polls.message_id", "polls.channel_id"])
    .where("polls.closed_at", "is", null)
    .where("polls.closes_at", "<=", now)
    .where("channels.deleted_at", "is", null)
    .orderBy("polls.closes_at")
    .limit(limit)
    .execute();
}

/** Returns up to `limit` polls whose messages are gone or deleted. */
export async function orphanedPolls(db: Db, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom("polls")
    .leftJoin("messages", "messages.id", "polls.message_id")
    .select("polls.message_id")
    .where((eb) => eb.or([eb("messages.id", "is", null), eb("messages.deleted_at", "is not", null)]))
    .limit(limit)
    .execute();
  return rows.map(({ message_id }) => message_id);
}

/** Returns what these users have chosen in a poll. */
export function votesOf(
  db: Db,
  messageId: number,
  userIds: readonly number[],
): Promise<{ user_id: number | null; option_id: number }[]> {
  return db
    .selectFrom("poll_votes")
    .select(["user_id", "option_id"])
    .where("message_id", "=", messageId)
    .where("user_id", "in", userIds)
    .orderBy("option_id")
    .execute();
}

/** Returns what a user has chosen in these polls. */
export function votesBy(
  db: Db,
  userId: number,
  messageIds: readonly number[],
): Promise<{ message_id: number; option_id: number }[]> {
  return db
    .selectFrom("poll_votes")
    .select(["message_id", "option_id"])
    .where("user_id", "=", userId)
    .where("message_id", "in", messageIds)
    .orderBy("option_id")
    .execute();
}

export async function insertVotes(db: Db, rows: readonly Insertable<PollVotesTable>[]): Promise<void> {
  if (rows.length > 0) await db.insertInto("poll_votes").values(rows).execute();
}

/** Deletes the votes of these users for one option. */
export async function deleteVotes(
  db: Db,
  { messageId, optionId }: { messageId: number; optionId: number },
  userIds: readonly number[],
): Promise<void> {
  await db
    .deleteFrom("poll_votes")
    .where("message_id", "=", messageId)
    .where("option_id", "=", optionId)
    .where("user_id", "in", userIds)
    .execute();
}

/** Returns the names of the first people who chose an option and have an account. */
export function firstVoters(db: Db, messageId: number, optionId: number): Promise<{ username: string }[]> {
  return db
    .selectFrom("poll_votes")
    .innerJoin("users", "users.id", "poll_votes.user_id")
    .select("users.username")
    .where("poll_votes.message_id", "=", messageId)
    .where("poll_votes.option_id", "=", optionId)
    .orderBy("poll_votes.id")
    .limit(POLL_VOTERS_SHOWN)
    .execute();
}

/** Returns up to `limit` polls in which a user has voted, by channel. */
export function pollsVotedIn(db: Db, userId: number, limit: number): Promise<Selectable<PollsTable>[]> {
  const voted = db.selectFrom("poll_votes").select("message_id").where("user_id", "=", userId);
  return db
    .selectFrom("polls")
    .selectAll()
    .where("message_id", "in", voted)
    .orderBy("channel_id")
    .orderBy("message_id")
    .limit(limit)
    .execute();
}

/** Removes the user from their votes in a poll, which stay. */
export async function forgetVoter(db: Db, messageId: number, userId: number): Promise<void> {
  await db
    .updateTable("poll_votes")
    .set({ user_id: null })
    .where("message_id", "=", messageId)
    .where("user_id", "=", userId)
    .execute();
}

type ExportedVote = Pick<Selectable<PollVotesTable>, "id" | "message_id" | "option_id" | "created_at">;

/** Returns the user's own votes, for the copy of their data. */
export function exportedVotes(db: Db, { userId, last, limit }: PageAfter<ExportedVote>): Promise<ExportedVote[]> {
  return db
    .selectFrom("poll_votes")
    .select(["id", "message_id", "option_id", "created_at"])
    .where("user_id", "=", userId)
    .where("id", ">", last?.id ?? 0)
    .orderBy("id")
    .limit(limit)
    .execute();
}
