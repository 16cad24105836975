import { Database } from "bun:sqlite";
import { afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { sql } from "kysely";
import { type Clock, systemClock } from "../../src/clock.ts";
import { openDatabase, readEpoch } from "../../src/db/database.ts";
import { createLog } from "../../src/logging/log.ts";
import type { ReplicaOptions } from "../../src/replica/options.ts";
import { Replica } from "../../src/replica/replica.ts";
import type { ReplicaStorage } from "../../src/replica/storage.ts";
import { FolderReplica } from "../../src/replica/storage-folder.ts";
import { S3Replica } from "../../src/replica/storage-s3.ts";
import { temporaryFolder } from "../support/config.ts";
import { S3_BUCKET, S3_KEY, sharedS3Server } from "../support/files/s3-server.ts";
import { recordsOf, restorePlainly } from "../support/replica/plain-restore.ts";
import { eventually } from "../support/servers/test-server.ts";

const s3Server = sharedS3Server();
const acts: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of acts.splice(0).reverse()) await act();
});

/** A database with its replica. */
async function start(place: string | ReplicaStorage, options: Partial<ReplicaOptions> = {}) {
  const path = options.path ?? join(temporaryFolder(), "parley.sqlite");
  const storage = typeof place === "string" ? new FolderReplica(place) : place;
  const { db, [Symbol.asyncDispose]: closeDatabase } = await openDatabase({ kind: "sqlite", path }, systemClock, {
    isReplicated: true,
  });
  const replica = new Replica({
    path,
    storage,
    database: "ab".repeat(16),
    epoch: await readEpoch(db),
    days: 7,
    clock: systemClock,
    log: createLog({ level: "silent", readable: true }),
    onFatal: (error) => {
      throw error;
    },
    passFrames: 100,
    chainPauseMs: 0,
    ...options,
  });
  await replica.start();
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= replica.close().then(closeDatabase);
    return closed;
  };
  acts.push(close);
  let written = 0;
  return {
    replica,
    storage,
    path,
    close,
    async write(count = 1, bytes = 3_000) {
      for (let row = 0; row < count; row += 1)
        await sql`insert into meta values (${`row ${replica.numbers.chain}-${++written}-${Math.random()}`}, ${"x".repeat(bytes)})`.execute(
          db,
        );
    },
    count: async () => (await sql<{ n: number }>`select count(*) as n from meta`.execute(db)).rows[0]?.n,
    /** Waits until the replica has all that is committed now. */
    async covered(): Promise<void> {
      await eventually("the replica has a snapshot", () => replica.numbers.state === "on");
      while (await replica.tick());
      const record = replica.position?.n ?? Number.NaN;
      await eventually("the replica has everything", () => replica.sent >= record);
    },
    is: (state: string) => eventually(`the replica is ${state}`, () => replica.numbers.state === state),
  };
}

async function countIn(storage: ReplicaStorage): Promise<number | undefined> {
  const target = join(temporaryFolder(), "restored.sqlite");
  await restorePlainly(storage, target);
  using database = new Database(target);
  expect(database.query("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
  return database.query<{ n: number }, []>("select count(*) as n from meta").get()?.n;
}

/** A storage that fails while `error` is set. */
function fallible(place: string): ReplicaStorage & { error: Error | null } {
  const real = new FolderReplica(place);
  const storage = {
    error: null as Error | null,
    place,
    list: (prefix: string) => storage.when(() => real.list(prefix)),
    read: (name: string) => storage.when(() => real.read(name)),
    write: (name: string, content: Uint8Array | Blob) => storage.when(() => real.write(name, content)),
    remove: (name: string) => storage.when(() => real.remove(name)),
    async when<T>(act: () => Promise<T>): Promise<T> {
      if (storage.error !== null) throw storage.error;
      return act();
    },
  };
  return storage;
}

describe("the replica", () => {
  test("has what was committed, through restarts of the log, and nothing is written while nothing changes", async () => {
    const one = await start(temporaryFolder());
    for (let round = 0; round < 5; round += 1) {
      await one.write(60);
      await one.covered();
    }
    expect(await countIn(one.storage)).toBe(await one.count());
    expect(one.replica.position?.segment).toBeGreaterThan(1);
    await eventually("only the newest volume is in pieces", async () => {
      const logs = (await one.storage.list("chains/")).filter(({ name }) => name.includes("/log/"));
      const newest = logs.at(-1)?.name.split(".")[0];
      return logs.every(({ name }) => !name.includes(".") || name.startsWith(`${newest}.`));
    });
    const before = JSON.stringify(await one.storage.list(""));
    const { n } = one.replica.position ?? {};
    for (let ticks = 0; ticks < 3; ticks += 1) await one.replica.tick();
    expect([one.replica.position?.n, JSON.stringify(await one.storage.list(""))]).toEqual([n, before]);
  }, 60_000);

  test("can be kept in a bucket", async () => {
    const settings = {
      s3Endpoint: (await s3Server()).endpoint,
      s3Region: "us-east-1",
      s3AccessKey: S3_KEY,
      s3SecretKey: S3_KEY,
    };
    const storage = new S3Replica(settings, { bucket: S3_BUCKET, prefix: "replica/" });
    const one = await start(storage);
    await one.write(200);
    await one.covered();
    expect(await countIn(storage)).toBe(await one.count());
    await one.close();
    const again = await start(storage, { path: one.path });
    await again.write(10);
    await again.covered();
    expect(again.replica.numbers.chain).toBe(1);
    expect(await countIn(storage)).toBe(await again.count());
  }, 60_000);

  test("goes on with the chain after a clean restart, and begins another one after a tool has written", async () => {
    const place = temporaryFolder();
    const one = await start(place);
    await one.write(5);
    await one.covered();
    await one.close();
    const two = await start(place, { path: one.path });
    await two.write(5);
    await two.covered();
    expect(two.replica.numbers.chain).toBe(1);
    await two.close();
    {
      using tool = new Database(one.path);
      tool.run("insert into meta values ('by a tool', '1')");
    }
    const three = await start(place, { path: one.path });
    await three.covered();
    expect(three.replica.numbers.chain).toBe(2);
    expect(await countIn(three.storage)).toBe(await three.count());
    expect((await recordsOf(three.storage, three.replica.chain ?? "")).length).toBeGreaterThan(0);
  }, 60_000);

  test("of another database is not touched", async () => {
    const place = temporaryFolder();
    const one = await start(place);
    await one.covered();
    await one.close();
    const before = JSON.stringify(await one.storage.list(""));
    const other = await start(place, { database: "cd".repeat(16) });
    await other.is("foreign");
    await other.write(300);
    expect(JSON.stringify(await one.storage.list(""))).toBe(before);
    await eventually("the log restarts all the same", () => other.replica.tick().then(() => true));
  }, 60_000);

  test("is written by the server that began last, and the other one says so", async () => {
    const place = temporaryFolder();
    const one = await start(place);
    await one.covered();
    const two = await start(place);
    await two.covered();
    await one.is("displaced");
    await two.write(3);
    await two.covered();
    expect(await countIn(two.storage)).toBe(await two.count());
    expect(two.replica.numbers.chain).toBe(2);
  }, 60_000);

  test("begins a chain when the clock is set back", async () => {
    let offset = 0;
    const clock: Clock = { ...systemClock, now: () => Date.now() + offset };
    const one = await start(temporaryFolder(), { clock });
    await one.write(3);
    await one.covered();
    offset = -3_600_000;
    await eventually("a new chain begins", () => one.replica.numbers.chain === 2);
    await one.write(3);
    await one.covered();
    expect(await countIn(one.storage)).toBe(await one.count());
  }, 60_000);

  test("that is away for too long gets a new chain, and chat goes on", async () => {
    const storage = fallible(temporaryFolder());
    const one = await start(storage, { spoolBytesMax: 100_000 });
    await one.covered();
    storage.error = Object.assign(new Error("the bucket is full"), { code: "ENOSPC" });
    await one.write(1);
    await one.is("away");
    await eventually("the chain ends", async () => {
      await one.write(30, 9_000 + Math.floor(Math.random() * 100));
      return one.replica.chain === undefined;
    });
    expect(one.replica.numbers.ageSeconds).toBeGreaterThan(0);
    storage.error = null;
    await one.covered();
    expect(one.replica.numbers.chain).toBe(2);
    expect(await countIn(storage)).toBe(await one.count());
  }, 60_000);

  test("begins a new chain when its thread ends, and the log restarts as before", async () => {
    const one = await start(temporaryFolder());
    await one.write(5);
    await one.covered();
    one.replica.thread.end();
    await one.write(5);
    await eventually("a new chain begins", () => one.replica.numbers.chain === 2);
    await eventually("the log restarts", async () => {
      await one.write(60);
      await one.covered();
      return (one.replica.position?.segment ?? 0) > 1;
    });
    expect(await countIn(one.storage)).toBe(await one.count());
    one.replica.thread.end();
    await one.close();
  }, 60_000);

  test("that was away shortly gets what waited, in the same chain", async () => {
    const storage = fallible(temporaryFolder());
    const one = await start(storage);
    await one.covered();
    storage.error = new Error("no route");
    await one.write(10);
    await one.is("away");
    storage.error = null;
    await one.covered();
    expect(one.replica.numbers.chain).toBe(1);
    expect(await countIn(storage)).toBe(await one.count());
  }, 60_000);
});
