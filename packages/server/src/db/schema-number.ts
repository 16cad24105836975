import type { Db } from "./db.ts";
import { StartupError } from "./startup-error.ts";

/** The numbers in `meta` that describe the schema of a database. */
export interface SchemaNumbers {
  /** The number of migrations applied; 0 if the database is empty. */
  schema: number;
  /** The number of migrations that a build must know to use the database. */
  floor: number;
  /** The number of migrations whose indexes are complete. */
  indexed: number;
}

const KEYS = { schema: "schema", floor: "schema_floor", indexed: "schema_indexed" } as const;

/** Returns the number of the newest migration applied to this database; 0 if it is empty. */
export async function schemaNumber(db: Db): Promise<number> {
  return (await readSchema(db)).schema;
}

/** Reads the numbers of a database that has the table `meta`. */
export async function readSchema(db: Db): Promise<SchemaNumbers> {
  const rows = await db.selectFrom("meta").selectAll().where("key", "in", Object.values(KEYS)).execute();
  return schemaNumbers(new Map(rows.map(({ key, value }) => [key, value])));
}

/**
 * Returns the numbers from the rows of `meta`. Databases of version 0.1.0 have the first one only: that version refuses
 * every other schema, and built indexes in transactions.
 */
export function schemaNumbers(meta: ReadonlyMap<string, string>): SchemaNumbers {
  const schema = Number(meta.get(KEYS.schema) ?? 0);
  const of = (key: string) => Number(meta.get(key) ?? schema);
  return { schema, floor: of(KEYS.floor), indexed: of(KEYS.indexed) };
}

/** Writes numbers, inside the transaction that makes them true. */
export async function writeSchema(db: Db, numbers: Partial<SchemaNumbers>): Promise<void> {
  for (const [name, value] of Object.entries(numbers)) {
    const key = KEYS[name as keyof SchemaNumbers];
    await db
      .insertInto("meta")
      .values({ key, value: String(value) })
      .onConflict((of) => of.column("key").doUpdateSet({ value: String(value) }))
      .execute();
  }
}

/** Returns whether a build that knows so many migrations can use the database. A newer schema may have additions. */
export const canUse = ({ schema, floor }: Pick<SchemaNumbers, "schema" | "floor">, known: number): boolean =>
  schema <= known || floor <= known;

/** Throws a `StartupError` if this build may not use the database, because a newer one removed what this one uses. */
export function refuseNewer(found: Pick<SchemaNumbers, "schema" | "floor">, known: number): void {
  if (canUse(found, known)) return;
  throw new StartupError(
    `The database was made by a newer Parley (schema ${found.schema}; this version knows up to ${known}). ` +
      "Start the newer version, or restore a backup that was made before the upgrade.",
  );
}

/**
 * Returns whether a newer build has meanwhile made the database unusable for this one, which knows so many migrations.
 * A node of a cluster asks with its heartbeat, and ends if so.
 */
export async function isBelowFloor(db: Db, known: number): Promise<boolean> {
  return !canUse(await readSchema(db), known);
}
