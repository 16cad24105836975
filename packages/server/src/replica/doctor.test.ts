import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/config.ts";
import { loadConfig } from "../config/load-config.ts";
import type { DatabaseFacts } from "../db/inspect.ts";
import { checkReplica } from "./doctor.ts";

const OURS = "ab".repeat(16);

/** Returns what the doctor says of a replica with that identity, or with none. */
async function saidOf(identity: string | null, { tables = "" } = {}): Promise<string[]> {
  const [data, place] = [temporaryFolder(), temporaryFolder()];
  {
    using database = new Database(join(data, "parley.sqlite"));
    database.run("create table meta (key text primary key, value text)");
    database.run("insert into meta values ('replica_database', ?)", [OURS]);
    if (tables !== "") database.run(tables);
  }
  if (identity !== null) writeFileSync(join(place, "identity.json"), identity);
  const config = loadConfig({ PARLEY_DATA_DIR: data, PARLEY_REPLICA: place });
  const findings = await checkReplica(config, { schema: 1 } as DatabaseFacts);
  return findings.map(({ state, text }) => `${state}: ${text.replaceAll(place, "REPLICA")}`);
}

const identityOf = (database: string) => JSON.stringify({ format: 1, database });

test("the doctor says what a replica is", async () => {
  expect(await saidOf(null)).toEqual(["ok: REPLICA is empty; the server fills it"]);
  expect(await saidOf(identityOf(OURS))).toEqual([expect.stringMatching(/^advice: REPLICA has no complete snapshot/)]);
  expect(await saidOf(identityOf("cd".repeat(16)))).toEqual([
    expect.stringMatching(/^problem: REPLICA is the replica of another database/),
  ]);
  expect(await saidOf("{")).toEqual([
    expect.stringMatching(/^problem: REPLICA cannot be used .*set PARLEY_REPLICA to an empty place$/),
  ]);
});

test("the doctor warns of tables of Litestream", async () => {
  expect(await saidOf(null, { tables: "create table _litestream_seq (id integer)" })).toEqual([
    expect.stringMatching(/^advice: the database has tables of Litestream/),
    "ok: REPLICA is empty; the server fills it",
  ]);
});

test("a replica that cannot be read is a problem", async () => {
  const place = temporaryFolder();
  mkdirSync(join(place, "identity.json"));
  const [finding] = await checkReplica(loadConfig({ PARLEY_REPLICA: place }), null);
  expect(finding).toMatchObject({ state: "problem", text: expect.stringContaining("cannot be used") });
});
