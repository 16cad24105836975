import { sql } from "kysely";
import type { Db } from "../../db/db.ts";
import { ownColumns } from "../../db/inspect.ts";

/** The bytes that a database speaks of. */
export interface ExpectedBytes {
  /** The bytes that files, their previews and the pictures of links need, by their hash. Uploads that are not complete are not among them. */
  needed: ReadonlyMap<string, { size: number; key: string }>;
  /** Every key that the server knows, also of bytes that it is about to store or to remove. */
  known: ReadonlySet<string>;
}

const PAGE = 10_000;

interface FileHashes {
  id: number;
  sha256: string;
  small_sha256: string | null;
  large_sha256: string | null;
}

/** Reads what bytes the files of a database need. A database of an older schema has no files, and needs none. */
export async function expectedBytes(db: Db): Promise<ExpectedBytes> {
  const stored = new Map<string, { size: number; key: string }>();
  const needed = new Map<string, { size: number; key: string }>();
  const columns = await ownColumns(db, "file_blobs");
  if (columns.length === 0) return { needed, known: new Set() };
  const hasKeys = columns.includes("storage_key");
  const key = hasKeys ? sql`coalesce(storage_key, sha256)` : sql`sha256`;
  for (let after = ""; ; ) {
    const page = sql<{ sha256: string; size_bytes: number; key: string }>`
      select sha256, size_bytes, ${key} as key from file_blobs
      where sha256 > ${after} order by sha256 limit ${sql.lit(PAGE)}`;
    const { rows } = await page.execute(db);
    for (const { sha256, size_bytes, key } of rows) stored.set(sha256, { size: Number(size_bytes), key });
    after = rows.at(-1)?.sha256 ?? "";
    if (rows.length < PAGE) break;
  }
  for (let after = 0; ; ) {
    const page = sql<FileHashes>`
      select id, sha256, small_sha256, large_sha256 from files
      where id > ${after} and status <> 'storing' order by id limit ${sql.lit(PAGE)}`;
    const { rows } = await page.execute(db);
    for (const { sha256, small_sha256, large_sha256 } of rows) {
      for (const hash of [sha256, small_sha256, large_sha256]) {
        if (hash !== null) needed.set(hash, stored.get(hash) ?? { size: 0, key: hash });
      }
    }
    after = Number(rows.at(-1)?.id ?? 0);
    if (rows.length < PAGE) break;
  }
  for (const hash of await previewHashes(db)) needed.set(hash, stored.get(hash) ?? { size: 0, key: hash });
  const removals = hasKeys
    ? (await sql<{ key: string }>`select storage_key as key from file_removals`.execute(db)).rows
    : [];
  return { needed, known: new Set([...stored.values(), ...needed.values(), ...removals].map(({ key }) => key)) };
}

/**
 * Returns the hashes of the pictures that messages show of their links. Those of pages may not be complete, and nobody sees
 * them.
 */
async function previewHashes(db: Db): Promise<string[]> {
  if ((await ownColumns(db, "link_pictures")).length === 0) return [];
  const hashes: string[] = [];
  for (let after = ""; ; ) {
    const page = sql<{ id: string; sha256: string }>`
      select id, sha256 from link_pictures
      where id > ${after} and message_id is not null order by id limit ${sql.lit(PAGE)}`;
    const { rows } = await page.execute(db);
    hashes.push(...rows.map(({ sha256 }) => sha256));
    after = rows.at(-1)?.id ?? "";
    if (rows.length < PAGE) return hashes;
  }
}
