import { type Selectable, sql } from "kysely";
import type { Db } from "../db/db.ts";
import type { LinkPagesTable, LinkPicturesTable } from "../db/tables/link-previews.ts";

export type PageRow = Selectable<LinkPagesTable>;
export type PictureRow = Selectable<LinkPicturesTable>;

/** A message whose previews have yet to be made. */
export interface OwingMessage {
  id: number;
  channel_id: number;
  user_id: number | null;
  agent_id: number | null;
  webhook_id: number | null;
  content: string;
  created_at: number;
}

/** Without a parameter, so that the databases see that the index of these few rows has all of them. */
const IS_OWED = sql<boolean>`previews = ''`;

/** Returns messages whose previews have yet to be made, the oldest first. */
export function owingMessages(db: Db, limit: number): Promise<OwingMessage[]> {
  return db
    .selectFrom("messages")
    .select(["id", "channel_id", "user_id", "agent_id", "webhook_id", "content", "created_at"])
    .where(IS_OWED)
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Returns the pages with these hashes that were taken after `after`. */
export function pagesOf(db: Db, hashes: readonly string[], after: number): Promise<PageRow[]> {
  if (hashes.length === 0) return Promise.resolve([]);
  return db
    .selectFrom("link_pages")
    .selectAll()
    .where("url_hash", "in", hashes)
    .where("taken_at", ">", after)
    .execute();
}

/** Returns how many pages were taken after that time. */
export async function takenSince(db: Db, after: number): Promise<number> {
  const row = await db
    .selectFrom("link_pages")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("taken_at", ">", after)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/**
 * The time `fetched_at` of a fetch that failed by the moment, and is made again soon. To older releases it has ended, as
 * all fetches have.
 */
export const BRIEFLY = 0;

/**
 * Takes a page to fetch it. Returns false if it was taken after `after`; a fetch that was taken before `lost` and has not
 * ended counts as lost, and one that was taken before `brief` and failed by the moment is forgotten.
 */
export async function takePage(
  db: Db,
  urlHash: string,
  { now, after, lost, brief }: { now: number; after: number; lost: number; brief: number },
): Promise<boolean> {
  const fresh = { taken_at: now, fetched_at: null, title: null, description: null, site_name: null, picture_id: null };
  const row = await db
    .insertInto("link_pages")
    .values({ url_hash: urlHash, ...fresh })
    .onConflict((conflict) =>
      conflict
        .column("url_hash")
        .doUpdateSet(fresh)
        .where((eb) =>
          eb.or([
            eb("link_pages.taken_at", "<=", after),
            eb.and([eb("link_pages.fetched_at", "is", null), eb("link_pages.taken_at", "<=", lost)]),
            eb.and([eb("link_pages.fetched_at", "=", BRIEFLY), eb("link_pages.taken_at", "<=", brief)]),
          ]),
        ),
    )
    .returning("url_hash")
    .executeTakeFirst();
  return row !== undefined;
}

/** Writes down what a fetch has found. Does nothing if another node has taken the page since. */
export async function endFetch(
  db: Db,
  urlHash: string,
  takenAt: number,
  found: Pick<PageRow, "fetched_at" | "title" | "description" | "site_name" | "picture_id">,
): Promise<void> {
  await db
    .updateTable("link_pages")
    .set(found)
    .where("url_hash", "=", urlHash)
    .where("taken_at", "=", takenAt)
    .where("fetched_at", "is", null)
    .execute();
}

/** Gives back pages whose fetch has not ended: the one that was taken then, or all. They are then as if never taken. */
export async function releasePages(db: Db, only?: { hash: string; takenAt: number }): Promise<void> {
  let query = db.deleteFrom("link_pages").where("fetched_at", "is", null);
  if (only !== undefined) query = query.where("url_hash", "=", only.hash).where("taken_at", "=", only.takenAt);
  await query.execute();
}

/** Deletes pages that were taken before a time. */
export async function forgetPages(db: Db, before: number, limit: number): Promise<void> {
  await db
    .deleteFrom("link_pages")
    .where("url_hash", "in", (eb) =>
      eb.selectFrom("link_pages as old").select("old.url_hash").where("old.taken_at", "<=", before).limit(limit),
    )
    .execute();
}

export async function insertPicture(db: Db, picture: PictureRow): Promise<void> {
  await db.insertInto("link_pictures").values(picture).execute();
}

export function findPicture(db: Db, id: string): Promise<PictureRow | undefined> {
  return db.selectFrom("link_pictures").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Deletes the pictures of these messages except those with the ids of `kept`, and returns them. */
export function deletePictures(
  db: Db,
  messageIds: readonly number[],
  kept: readonly string[] = [],
): Promise<PictureRow[]> {
  let query = db.deleteFrom("link_pictures").where("message_id", "in", messageIds);
  if (kept.length > 0) query = query.where("id", "not in", kept);
  return query.returningAll().execute();
}

/** Deletes pictures of pages that were made before a time, and returns them. */
export function deletePagePictures(db: Db, before: number, limit: number): Promise<PictureRow[]> {
  return db
    .deleteFrom("link_pictures")
    .where("id", "in", (eb) =>
      eb
        .selectFrom("link_pictures as old")
        .select("old.id")
        .where("old.message_id", "is", null)
        .where("old.created_at", "<", before)
        .orderBy("old.created_at")
        .limit(limit),
    )
    .returningAll()
    .execute();
}

/** A picture of a message, with what the message says now; null: the message is gone or deleted. */
export interface PlacedPicture {
  id: string;
  message_id: number;
  previews: string | null;
}

/** Returns pictures of messages after that id, in order. */
export async function picturesAfter(db: Db, after: string, limit: number): Promise<PlacedPicture[]> {
  const rows = await db
    .selectFrom("link_pictures")
    .leftJoin("messages", (join) =>
      join.onRef("messages.id", "=", "link_pictures.message_id").on("messages.deleted_at", "is", null),
    )
    .select(["link_pictures.id", "link_pictures.message_id", "messages.previews"])
    .where("link_pictures.id", ">", after)
    .where("link_pictures.message_id", "is not", null)
    .orderBy("link_pictures.id")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, message_id: row.message_id ?? 0 }));
}

/** Deletes these pictures, and returns them. */
export function deletePicturesById(db: Db, ids: readonly string[]): Promise<PictureRow[]> {
  return db.deleteFrom("link_pictures").where("id", "in", ids).returningAll().execute();
}

/** Deletes the pictures of messages in channels that were purged, and returns them. */
export function deletePicturesOfPurged(db: Db): Promise<PictureRow[]> {
  return db
    .deleteFrom("link_pictures")
    .where("message_id", "in", (eb) =>
      eb
        .selectFrom("link_pictures as shown")
        .innerJoin("messages", "messages.id", "shown.message_id")
        .innerJoin("channels", "channels.id", "messages.channel_id")
        .select("messages.id")
        .where("channels.purged_at", "is not", null),
    )
    .returningAll()
    .execute();
}
