import type { Insertable, Selectable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { MenuPressesTable, MenusTable } from "../../db/tables/menus.ts";

export type MenuRow = Selectable<MenusTable>;
export type MenuPressRow = Selectable<MenuPressesTable> & {
  /** null: the account was erased. */
  username: string | null;
};

/** Notes that a message has a menu, or that its menu is gone. */
export async function putMenu(db: Db, row: MenuRow): Promise<void> {
  await db
    .insertInto("menus")
    .values(row)
    .onConflict((conflict) => conflict.column("message_id").doUpdateSet({ is_live: row.is_live }))
    .execute();
}

export async function endMenu(db: Db, messageId: number): Promise<void> {
  await db.updateTable("menus").set({ is_live: 0 }).where("message_id", "=", messageId).execute();
}

export function findMenu(db: Db, messageId: number): Promise<MenuRow | undefined> {
  return db.selectFrom("menus").selectAll().where("message_id", "=", messageId).executeTakeFirst();
}

/** Returns the oldest live menus of a bot, without its newest `keep`. */
export function surplusMenus(
  db: Db,
  { agentId, agentName }: { agentId: number; agentName: string },
  keep: number,
  limit: number,
): Promise<MenuRow[]> {
  return db
    .selectFrom("menus")
    .selectAll()
    .where("agent_id", "=", agentId)
    .where("agent_name", "=", agentName)
    .where("is_live", "=", 1)
    .orderBy("message_id", "desc")
    .offset(keep)
    .limit(limit)
    .execute();
}

export async function insertMenuPress(db: Db, press: Insertable<MenuPressesTable>): Promise<void> {
  await db.insertInto("menu_presses").values(press).execute();
}

/** Returns the presses that items report, by the items' ids. */
export async function pressesOfItems(db: Db, itemIds: readonly number[]): Promise<Map<number, MenuPressRow>> {
  if (itemIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("menu_presses as p")
    .leftJoin("users", "users.id", "p.user_id")
    .selectAll("p")
    .select("users.username")
    .where("p.item_id", "in", itemIds)
    .execute();
  return new Map(rows.map((row) => [row.item_id, row]));
}

/** A press as its bot answers it. */
export interface Answerable {
  itemId: number;
  agentId: number;
  agentName: string;
}

export function findAnswerable(
  db: Db,
  { itemId, agentId, agentName }: Answerable,
  since: number,
): Promise<Selectable<MenuPressesTable> | undefined> {
  return db
    .selectFrom("menu_presses")
    .selectAll()
    .where("item_id", "=", itemId)
    .where("agent_id", "=", agentId)
    .where("agent_name", "=", agentName)
    .where("created_at", ">=", since)
    .executeTakeFirst();
}

/** Takes the one answer of a press. Returns false if it was taken. */
export async function takeAnswer(db: Db, itemId: number, now: number): Promise<boolean> {
  const result = await db
    .updateTable("menu_presses")
    .set({ answered_at: now })
    .where("item_id", "=", itemId)
    .where("answered_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Deletes presses that were made before this time and whose items wait no more. */
export async function forgetPresses(db: Db, before: number): Promise<void> {
  await db
    .deleteFrom("menu_presses")
    .where("created_at", "<", before)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("mentions")
            .select("mentions.id")
            .whereRef("mentions.id", "=", "menu_presses.item_id")
            .where("mentions.removed_at", "is", null),
        ),
      ),
    )
    .execute();
}

/** Removes a user from the presses that they made. The presses stay, so that their items can be read. */
export async function forgetPresser(db: Db, userId: number): Promise<void> {
  await db.updateTable("menu_presses").set({ user_id: null }).where("user_id", "=", userId).execute();
}

/** Forgets the menus of messages that are deleted or removed for good. */
export async function forgetMenus(db: Db, messageIds: readonly number[]): Promise<void> {
  await db.deleteFrom("menus").where("message_id", "in", messageIds).execute();
}
