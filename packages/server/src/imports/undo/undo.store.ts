import type { ExpressionBuilder } from "kysely";
import { HIDDEN_AT } from "../../base/hidden-at.ts";
import type { Db } from "../../db/db.ts";
import type { Tables } from "../../db/tables/tables.ts";
import { EXTENDED } from "../../event-log/extensions.ts";
import type { Block } from "../imports.store.ts";

/** Returns the messages of a block, the newest first, without rows that only keep an id. */
export function messagesIn(
  db: Db,
  { first_id, last_id }: Block,
  limit: number,
): Promise<{ id: number; channel_id: number }[]> {
  return db
    .selectFrom("messages")
    .select(["id", "channel_id"])
    .where("id", ">=", first_id)
    .where("id", "<=", last_id)
    .where("channel_id", ">", 0)
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}

/** Counts the messages of these channels that are not of the block. */
export async function countOthers(db: Db, channels: readonly number[], { first_id, last_id }: Block): Promise<number> {
  const row = await db
    .selectFrom("messages")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("channel_id", "in", channels)
    .where((eb) => eb.or([eb("id", "<", first_id), eb("id", ">", last_id)]))
    .executeTakeFirst();
  return Number(row?.n);
}

/** Counts what people have done in a channel after this number. */
export async function countSince(db: Db, channelId: number, seq: number): Promise<number> {
  const messages = await db
    .selectFrom("messages")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("channel_id", "=", channelId)
    .where("seq", ">", seq)
    .executeTakeFirst();
  const events = await db
    .selectFrom("channel_events")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("channel_id", "=", channelId)
    .where("seq", ">", seq)
    .where(isOfPeople)
    .executeTakeFirst();
  return Number(messages?.n) + Number(events?.n);
}

/** True for events that people have made. Imports note in the data of an event that it is theirs. */
const isOfPeople = (eb: ExpressionBuilder<Tables, "channel_events">) =>
  eb.and([eb("event", "<>", EXTENDED), eb.or([eb("event", "<>", "message:update"), eb("data", "=", "{}")])]);

/** Counts the events of people in these channels. */
export async function countEvents(db: Db, channels: readonly number[]): Promise<number> {
  const row = await db
    .selectFrom("channel_events")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("channel_id", "in", channels)
    .where(isOfPeople)
    .executeTakeFirst();
  return Number(row?.n);
}

/** Counts the members of these channels who came after the import was opened. */
export async function countJoined(db: Db, channels: readonly number[], importId: number): Promise<number> {
  const row = await db
    .selectFrom("channel_members")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("channel_id", "in", channels)
    .where("joined_at", ">", (eb) =>
      eb
        .selectFrom("imports")
        .select((of) => of.fn.coalesce("opened_at", "created_at").as("at"))
        .where("id", "=", importId),
    )
    .executeTakeFirst();
  return Number(row?.n);
}

/** Counts those of these accounts who can log in, or are being deleted. */
export async function countClaimed(db: Db, users: readonly number[]): Promise<number> {
  const row = await db
    .selectFrom("users")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("id", "in", users)
    .where((eb) =>
      eb.or([
        eb("password_hash", "is not", null),
        // Those that are only hidden are the import's own still.
        eb.and([eb("erased_at", "is not", null), eb("erased_at", "<>", HIDDEN_AT)]),
        eb.exists(eb.selectFrom("identities").select("id").whereRef("identities.user_id", "=", "users.id")),
        eb.exists(eb.selectFrom("passkeys").select("id").whereRef("passkeys.user_id", "=", "users.id")),
        eb.exists(
          eb
            .selectFrom("claimable_accounts as claimable")
            .select("claimable.user_id")
            .whereRef("claimable.user_id", "=", "users.id")
            .where("claimable.claimed_at", "is not", null),
        ),
      ]),
    )
    .executeTakeFirst();
  return Number(row?.n);
}

/** Counts those of these agents that have, or had, a key. */
export async function countWithKeys(db: Db, agents: readonly number[]): Promise<number> {
  const row = await db
    .selectFrom("api_keys")
    .select((eb) => eb.fn.count<number | string>("agent_id").distinct().as("n"))
    .where("agent_id", "in", agents)
    .executeTakeFirst();
  return Number(row?.n);
}
