import { Database } from "bun:sqlite";
import type { Config } from "../config/config.ts";
import type { DatabaseFacts } from "../db/inspect.ts";
import type { Finding } from "../module.ts";
import { IdentityFile, parsed, ReplicaDamage } from "./format.ts";
import { openReplica } from "./open-replica.ts";
import { listSnapshots } from "./snapshot.ts";

const check = "replica";

/** Checks that the replica can be read, is this database's, and has a snapshot, and looks for Litestream's tables. */
export async function checkReplica(config: Config, facts: DatabaseFacts | Error | null): Promise<Finding[]> {
  if (config.database.kind === "postgres") return [];
  const isReadable = facts !== null && !(facts instanceof Error) && facts.schema > 0;
  const found = isReadable ? valuesIn(config.database.path) : { identity: null, litestream: 0 };
  const litestream: Finding[] =
    found.litestream === 0
      ? []
      : [
          {
            check,
            state: "advice",
            text: "the database has tables of Litestream (_litestream_…); never run Litestream on it, because its reader keeps the log from restarting. Stop it, drop its tables, and set PARLEY_REPLICA",
          },
        ];
  return config.replica === null ? litestream : [...litestream, await lookAt(config, found.identity)];
}

async function lookAt(config: Config, identity: string | null): Promise<Finding> {
  const storage = openReplica(config);
  try {
    const file = await storage.read("identity.json");
    if (file === null) return { check, state: "ok", text: `${storage.place} is empty; the server fills it` };
    if (parsed(IdentityFile, file, "identity.json").database !== identity) {
      const text = `${storage.place} is the replica of another database; restore that one from it, or set PARLEY_REPLICA to an empty place`;
      return { check, state: "problem", text };
    }
    const newest = (await listSnapshots(storage)).at(-1);
    if (newest !== undefined)
      return { check, state: "ok", text: `${storage.place} has snapshots; the newest is in chain ${newest.chain}` };
    return {
      check,
      state: "advice",
      text: `${storage.place} has no complete snapshot yet, so nothing can be restored`,
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const advice = error instanceof ReplicaDamage ? "set PARLEY_REPLICA to an empty place" : "check PARLEY_REPLICA";
    return { check, state: "problem", text: `${storage.place} cannot be used (${message}); ${advice}` };
  }
}

function valuesIn(path: string): { identity: string | null; litestream: number } {
  using database = new Database(path, { readonly: true });
  database.run("pragma busy_timeout = 2000");
  const identity = database.query<{ value: string }, []>("select value from meta where key = 'replica_database'").get();
  const tables = database
    .query<{ n: number }, []>("select count(*) as n from sqlite_schema where name like '\\_litestream\\_%' escape '\\'")
    .get();
  return { identity: identity?.value ?? null, litestream: tables?.n ?? 0 };
}
