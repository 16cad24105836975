import { type Kysely, sql } from "kysely";
import type { Tables } from "../../db/tables/tables.ts";

/** The bytes that a database speaks of. */
export interface ExpectedBytes {
  /** Every hash that a file or a preview needs, with its length. Uploads that are not complete are not among them. */
  needed: ReadonlyMap<string, number>;
  /** Every hash that the server knows, also of bytes that it is about to store or to remove. */
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
export async function expectedBytes(db: Kysely<Tables>): Promise<ExpectedBytes> {
  const sizes = new Map<string, number>();
  const needed = new Map<string, number>();
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === "file_blobs")) return { needed, known: new Set() };
  for (let after = ""; ; ) {
    const page = sql<{ sha256: string; size_bytes: number }>`
      select sha256, size_bytes from file_blobs where sha256 > ${after} order by sha256 limit ${sql.lit(PAGE)}`;
    const { rows } = await page.execute(db);
    for (const { sha256, size_bytes } of rows) sizes.set(sha256, Number(size_bytes));
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
        if (hash !== null) needed.set(hash, sizes.get(hash) ?? 0);
      }
    }
    after = Number(rows.at(-1)?.id ?? 0);
    if (rows.length < PAGE) break;
  }
  return { needed, known: new Set([...sizes.keys(), ...needed.keys()]) };
}
