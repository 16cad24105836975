import { UNREAD_LOOK_BACK } from "@parley/protocol/limits";
import { type ExpressionBuilder, type Selectable, sql, type Updateable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { ChannelMembersTable, UserPreferencesTable } from "../../db/tables/channels.ts";
import type { Tables } from "../../db/tables/tables.ts";
import { readUpTo } from "../reading/read-mark.ts";

/** The columns of a member row that only its user sees and changes. */
type Own = Pick<ChannelMembersTable, "notify_level" | "is_muted" | "is_favourite" | "section">;
export type OwnRow = Selectable<Own> & { channel_id: number };

const OWN = ["channel_id", "notify_level", "is_muted", "is_favourite", "section"] as const;

const isLiving = (db: Db, userId: number) =>
  db
    .selectFrom("channel_members as mine")
    .innerJoin("channels", "channels.id", "mine.channel_id")
    .where("mine.user_id", "=", userId)
    .where("channels.deleted_at", "is", null);

export type PreferencesRow = Omit<Selectable<UserPreferencesTable>, "user_id">;

const PREFERENCES = [
  "notify_default",
  "sorting",
  "push_previews",
  "quiet_from",
  "quiet_to",
  "zone",
  "muted_until",
  "digest",
  "mail_previews",
] as const satisfies readonly (keyof PreferencesRow)[];

export async function findPreferences(db: Db, userId: number): Promise<PreferencesRow | undefined> {
  return db.selectFrom("user_preferences").select(PREFERENCES).where("user_id", "=", userId).executeTakeFirst();
}

export async function savePreferences(db: Db, row: { user_id: number } & Updateable<UserPreferencesTable>) {
  await db
    .insertInto("user_preferences")
    .values(row)
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(row))
    .execute();
}

export async function forgetPreferences(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("user_preferences").where("user_id", "=", userId).execute();
}

/** Returns the user's channels whose notifications differ from the default. */
export function notifyingRows(db: Db, userId: number): Promise<OwnRow[]> {
  return isLiving(db, userId)
    .select(OWN.map((column) => `mine.${column}` as const))
    .where((eb) => eb.or([eb("mine.notify_level", "is not", null), eb("mine.is_muted", "=", 1)]))
    .execute();
}

/** Returns the user's channels that are favourites or in a section. */
export function placedRows(db: Db, userId: number): Promise<OwnRow[]> {
  return isLiving(db, userId)
    .select(OWN.map((column) => `mine.${column}` as const))
    .where((eb) => eb.or([eb("mine.section", "is not", null), eb("mine.is_favourite", "=", 1)]))
    .execute();
}

/** Changes a member row; returns it, or undefined if the user is not a member of that channel. */
export function updateOwn(
  db: Db,
  userId: number,
  channelId: number,
  change: Updateable<Own>,
): Promise<OwnRow | undefined> {
  const living = db.selectFrom("channels").select("id").where("id", "=", channelId).where("deleted_at", "is", null);
  return (
    db
      .updateTable("channel_members")
      // Without a change the row is only returned.
      .set({ channel_id: channelId, ...change })
      .where("user_id", "=", userId)
      .where("channel_id", "in", living)
      .returning(OWN)
      .executeTakeFirst()
  );
}

/** Returns the user's channels that have messages, the newest message first. */
export async function channelsByActivity(db: Db, userId: number): Promise<number[]> {
  const rows = await isLiving(db, userId)
    .select("channels.id")
    .select((eb) =>
      eb
        .selectFrom("messages")
        .select("messages.id")
        .whereRef("messages.channel_id", "=", "channels.id")
        .orderBy("messages.seq", "desc")
        .limit(1)
        .as("newest"),
    )
    .execute();
  const active = rows.flatMap(({ id, newest }) => (newest === null ? [] : [{ id, newest }]));
  return active.sort((a, b) => b.newest - a.newest).map(({ id }) => id);
}

const readInItsThread = (eb: ExpressionBuilder<Tables, "messages">, userId: number) =>
  eb.exists(
    eb
      .selectFrom("thread_follows")
      .select("thread_follows.root_id")
      .where("thread_follows.user_id", "=", userId)
      .whereRef("thread_follows.root_id", "=", "messages.thread_root_id")
      .where(readUpTo("thread_follows"), ">=", eb.ref("messages.seq")),
  );

/** The message called everybody who was online, and the user was. */
const reachedByHere = (eb: ExpressionBuilder<Tables, "messages">, userId: number) =>
  eb.and([
    eb("messages.mentions", "like", sql<string>`${sql.lit('%"type":"here","name"%')}`),
    eb.exists(
      eb
        .selectFrom("notifications")
        .select("notifications.id")
        .whereRef("notifications.message_id", "=", "messages.id")
        .where("notifications.user_id", "=", userId)
        .where("notifications.kind", "=", "mention"),
    ),
  ]);

/**
 * Returns unread messages that mention the user, or called them with `@here`, the newest first. Leaves out those of
 * blocked senders, and replies that only their thread shows and that were read there. Looks back as far as the unread
 * count.
 */
export function unreadMentions(
  db: Db,
  userId: number,
  { named, limit }: { named: string; limit: number },
): Promise<{ channel_id: number; seq: number }[]> {
  return isLiving(db, userId)
    .innerJoin("messages", (join) =>
      join
        .onRef("messages.channel_id", "=", "channels.id")
        .on("messages.seq", ">", readUpTo("mine"))
        .on("messages.seq", ">", sql<number>`channels.last_seq - ${sql.lit(UNREAD_LOOK_BACK)}`),
    )
    .where("messages.mentions", "is not", null)
    .where((eb) =>
      eb.or([eb("messages.mentions", "like", sql<string>`${named} escape '\\'`), reachedByHere(eb, userId)]),
    )
    .where("messages.deleted_at", "is", null)
    .where((eb) => eb.or([eb("messages.user_id", "is", null), eb("messages.user_id", "<>", userId)]))
    .where((eb) => eb.or([eb("messages.also_in_channel", "=", 1), eb.not(readInItsThread(eb, userId))]))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("user_blocks")
            .select("user_blocks.created_at")
            .where("user_blocks.blocker_id", "=", userId)
            .where((block) =>
              block.or([
                block("user_blocks.user_id", "=", block.ref("messages.user_id")),
                block("user_blocks.agent_id", "=", block.ref("messages.agent_id")),
              ]),
            ),
        ),
      ),
    )
    .select(["messages.channel_id", "messages.seq"])
    .orderBy("messages.id", "desc")
    .limit(limit)
    .execute();
}
