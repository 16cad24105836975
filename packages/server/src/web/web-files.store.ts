import type { Millis } from "../db/columns.ts";
import type { Db } from "../db/db.ts";
import type { WebFile } from "./page.ts";

/** Stores files. Those that are stored already are kept for longer: a path contains the hash of its content. */
export async function storeFiles(db: Db, files: readonly WebFile[], now: Millis): Promise<void> {
  // Both pages may use the same file.
  const distinct = [...new Map(files.map((file) => [file.path, file])).values()];
  await db
    .insertInto("web_files")
    .values(distinct.map(({ path, type, text }) => ({ path, type, bytes: Buffer.from(text), stored_at: now })))
    .onConflict((of) => of.column("path").doUpdateSet((eb) => ({ stored_at: eb.ref("excluded.stored_at") })))
    .execute();
}

export async function storedPaths(db: Db): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom("web_files").select("path").execute();
  return new Set(rows.map(({ path }) => path));
}

export async function readStoredFile(db: Db, path: string): Promise<WebFile | null> {
  const row = await db.selectFrom("web_files").selectAll().where("path", "=", path).executeTakeFirst();
  return row === undefined ? null : { path, type: row.type, text: Buffer.from(row.bytes).toString() };
}

export async function deleteFilesBefore(db: Db, time: Millis): Promise<void> {
  await db.deleteFrom("web_files").where("stored_at", "<", time).execute();
}
