import { sql } from "kysely";
import { systemClock } from "../../../src/clock.ts";
import { openDatabase, readEpoch } from "../../../src/db/database.ts";
import { createLog } from "../../../src/logging/log.ts";
import { Replica } from "../../../src/replica/replica.ts";
import { FolderReplica } from "../../../src/replica/storage-folder.ts";
import { changesOf } from "./model.ts";

/** The first argument of the program below, as JSON. */
export interface WriterOrder {
  path: string;
  place: string;
  /** Ends by itself, cleanly, when its input ends. */
  passFrames: number;
  /** Milliseconds between two transactions, at most. */
  pauseMs: number;
}

/** Writes transactions of the model with a replica, and prints the number and the time of each that is acknowledged. */
async function run({ path, place, passFrames, pauseMs }: WriterOrder): Promise<void> {
  const config = { kind: "sqlite", path } as const;
  const log = createLog({ level: "warn", readable: true, write: (line) => process.stderr.write(line) });
  const database = await openDatabase(config, systemClock, { isReplicated: true });
  const { db } = database;
  await sql`create table if not exists model (id integer primary key, value text)`.execute(db);
  await sql`create table if not exists model_step (one integer primary key, k integer)`.execute(db);
  const storage = new FolderReplica(place);
  const facts = { path, storage, database: "ab".repeat(16), epoch: await readEpoch(db), days: 7, clock: systemClock };
  const onFatal = (error: unknown) => {
    throw error;
  };
  const replica = new Replica({ ...facts, log, onFatal, passFrames, chainPauseMs: 0 });
  await replica.start();
  let isEnding = false;
  process.stdin.resume().on("end", () => {
    isEnding = true;
  });
  const { rows } = await sql<{ k: number }>`select k from model_step`.execute(db);
  for (let k = (rows[0]?.k ?? 0) + 1; !isEnding; k += 1) {
    await db.transaction().execute(async (trx) => {
      for (const { id, value } of changesOf(k)) {
        if (value === null) await sql`delete from model where id = ${id}`.execute(trx);
        else
          await sql`insert into model values (${id}, ${value}) on conflict do update set value = ${value}`.execute(trx);
      }
      await sql`insert into model_step values (1, ${k}) on conflict do update set k = ${k}`.execute(trx);
    });
    const { state, chain } = replica.numbers;
    process.stdout.write(`${k} ${Date.now()} ${state} ${chain}\n`);
    await Bun.sleep(Math.random() * pauseMs);
  }
  await replica.close();
  await database[Symbol.asyncDispose]();
}

if (import.meta.main) await run(JSON.parse(process.argv[2] ?? ""));
