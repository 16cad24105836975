import type { Db } from "../../db/db.ts";

/** A channel that an import of the source has made. */
export interface KnownChannel {
  id: number;
  slug: string;
  importId: number;
}

/** Returns those of these channels of a source that are taken, by their ids in the source. */
export async function knownChannels(
  db: Db,
  source: string,
  sourceIds: readonly string[],
): Promise<Map<string, KnownChannel>> {
  const rows = await db
    .selectFrom("import_items")
    .innerJoin("channels", "channels.id", "import_items.parley_id")
    .select(["source_id", "parley_id", "import_id", "channels.slug"])
    .where("source", "=", source)
    .where("kind", "=", "channel")
    .where("source_id", "in", sourceIds)
    .execute();
  return new Map(
    rows.map(({ source_id, parley_id, import_id, slug }) => [source_id, { id: parley_id, slug, importId: import_id }]),
  );
}
