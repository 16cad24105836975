import type { Db } from "../db/db.ts";
import { isItem } from "../db/statements/item-kind.ts";
import { USED } from "./used.ts";

/** Selects what an import has made of one kind, through the index of everything but messages. */
const made = (db: Db, importId: number, kind: "user" | "agent" | "channel") =>
  db.selectFrom("import_items").where("import_id", "=", importId).where(isItem(kind));

/** Returns the agents of an import, with the names that they have or that are held for them. */
export async function agentsOf(db: Db, importId: number): Promise<{ id: number; name: string }[]> {
  const rows = await made(db, importId, "agent").select(["parley_id", "content_hash"]).orderBy("parley_id").execute();
  return rows.map(({ parley_id, content_hash }) => ({ id: parley_id, name: content_hash ?? "" }));
}

/** Returns the channels of an import that are conversations of two. */
export async function directChannels(db: Db, importId: number): Promise<number[]> {
  const rows = await made(db, importId, "channel").select("parley_id").where("content_hash", "=", "direct").execute();
  return rows.map(({ parley_id }) => parley_id);
}

/** Returns the users of an import whose accounts were there before. */
export async function usedUsers(db: Db, importId: number): Promise<number[]> {
  const rows = await made(db, importId, "user").select("parley_id").where("content_hash", "=", USED).execute();
  return rows.map(({ parley_id }) => parley_id);
}

/** Returns the accounts that an import has made for people, and that have no picture. */
export async function accountsWithoutAvatar(db: Db, importId: number): Promise<number[]> {
  const rows = await made(db, importId, "user")
    .select("parley_id")
    .where("content_hash", "is", null)
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom("avatars").select("user_id").whereRef("user_id", "=", "import_items.parley_id"))),
    )
    .execute();
  return rows.map(({ parley_id }) => parley_id);
}
