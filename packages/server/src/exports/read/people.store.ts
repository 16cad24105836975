import { sql } from "kysely";
import type { Db } from "../../db/db.ts";
import { PADDED_MAX, paddedList } from "../../db/statements/sized-statement.ts";
import type { MessagesTable } from "../../db/tables/messages.ts";
import { pagesOf } from "../../http/answers/streamed.ts";

/** As many as a list of ids may have. */
const ROWS = PADDED_MAX;

/** Yields the names of all users, in the order of their ids. */
export const userNames = (db: Db) =>
  pagesOf(ROWS, (last?: { id: number; username: string }) =>
    db
      .selectFrom("users")
      .select(["id", "username"])
      .where("erased_at", "is", null)
      .where("id", ">", last?.id ?? 0)
      .orderBy("id")
      .limit(ROWS)
      .execute(),
  );

/** A user with what other chats show of a person. */
export interface UserRow {
  id: number;
  username: string;
  email: string | null;
  suspended_until: number | null;
  updated_at: number;
  created_at: number;
  display_name: string | null;
}

/** Yields all users, in the order of their ids. */
export const users = (db: Db) =>
  pagesOf(
    ROWS,
    (last?: UserRow): Promise<UserRow[]> =>
      db
        .selectFrom("users")
        .leftJoin("shown_profiles", "shown_profiles.user_id", "users.id")
        .select(["users.id", "username", "email", "suspended_until", "updated_at", "created_at", "display_name"])
        .where("erased_at", "is", null)
        .where("users.id", ">", last?.id ?? 0)
        .orderBy("users.id")
        .limit(ROWS)
        .execute(),
  );

/** Yields the names of all agents: those of one agent in their order. Names that are held have none (names/held-names.ts). */
export const agentNames = (db: Db) =>
  pagesOf(ROWS, async (last?: { agent_id: number; name: string; name_key: string }) => {
    const rows = await db
      .selectFrom("names")
      .select(["agent_id", "name", "name_key"])
      .where("kind", "=", "agent")
      .where("agent_id", "is not", null)
      .where("name_key", ">", last?.name_key ?? "")
      .orderBy("name_key")
      .limit(ROWS)
      .execute();
    return rows.map((row) => ({ ...row, agent_id: row.agent_id ?? 0 }));
  });

/** A sender without an account. */
export interface NamelessSender {
  sender_type: MessagesTable["sender_type"];
  agent_id: number | null;
  is_webhook: number;
  sender_name: string;
}

/** Yields who wrote in these channels and is no user: agents, webhooks, the server, and erased accounts. */
export async function* nameless(db: Db, channelIds: readonly number[]): AsyncGenerator<NamelessSender[]> {
  for (let from = 0; from < channelIds.length; from += PADDED_MAX) {
    const webhook = sql<number>`case when webhook_id is null then 0 else 1 end`;
    yield await db
      .selectFrom("messages")
      .select(["sender_type", "agent_id", "sender_name", webhook.as("is_webhook")])
      .where("channel_id", "in", paddedList(channelIds.slice(from, from + PADDED_MAX)))
      .where("user_id", "is", null)
      .groupBy(["sender_type", "agent_id", "sender_name", webhook])
      .orderBy("sender_name")
      .execute();
  }
}

/** Returns the types and sizes of the pictures of these users, by their ids. */
export async function avatarsOf(db: Db, userIds: readonly number[]) {
  const rows = await db
    .selectFrom("avatars")
    .select(["user_id", "mime_type", sql<number>`length(bytes)`.as("size")])
    .where("user_id", "in", paddedList(userIds))
    .execute();
  return new Map(rows.map(({ user_id, ...facts }) => [user_id, facts]));
}

/** Returns the users who own agents, by the ids of the agents. */
export async function ownersOfAgents(db: Db): Promise<Map<number, number>> {
  const query = db.selectFrom("agents").select(["id", "owner_user_id"]).where("owner_user_id", "is not", null);
  return new Map((await query.execute()).map(({ id, owner_user_id }) => [id, owner_user_id ?? 0]));
}
