import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/config.ts";
import { logged, SmallReplica } from "../../test/support/replica/small-replica.ts";
import { FolderReplica } from "../replica/storage-folder.ts";
import { contentOf } from "./restore-from-replica.ts";
import { restorableSpans, restoreTo } from "./restore-points.ts";

const SILENT = { progress() {}, tell() {} };

/** A database and its replica: 12 ticks in 3 segments, with two snapshots. `recorded` has the rows at each time. */
async function scene() {
  const folder = temporaryFolder();
  const path = join(folder, "source.sqlite");
  const storage = new FolderReplica(join(folder, "replica"));
  const database = logged(path);
  const replica = new SmallReplica(storage, path);
  const recorded = new Map<number, string>();
  const objects: string[] = [];
  database.run("create table t (id integer primary key, body text)");
  database.run("pragma wal_checkpoint(truncate)");
  await replica.begin(1_000);
  let at = 1_000;
  const tick = async (act: () => void) => {
    act();
    at += 1_000;
    const name = await replica.tick(at);
    if (name !== null) objects.push(name);
    recorded.set(at, contentOfFile(path));
  };
  const insert = (rows: number) =>
    database.transaction(() => {
      for (let n = 0; n < rows; n++) database.run("insert into t (body) values (?)", [`${at} ${"x".repeat(n % 900)}`]);
    })();
  await tick(() => insert(3));
  await replica.snapshot(at);
  for (let n = 0; n < 3; n++) await tick(() => insert(40));
  await tick(() => database.run("delete from t where id % 3 = 0"));
  await replica.newVolume(at);
  database.run("pragma wal_checkpoint(restart)");
  await tick(() => insert(500)); // several records, of which only the last one commits
  await replica.snapshot(at);
  await tick(() => database.run("delete from t where id > 20"));
  await tick(() => database.run("vacuum"));
  database.run("pragma wal_checkpoint(restart)");
  for (let n = 0; n < 3; n++) await tick(() => insert(7));
  return { folder, path, storage, recorded, objects, database, first: 2_000, last: at };
}

function contentOfFile(path: string): string {
  using database = new Database(path, { readonly: true });
  return JSON.stringify(database.query("select id, length(body) as size, body from t order by id").all());
}

async function restored(storage: FolderReplica, at: number | null): Promise<{ text: string; at: number }> {
  const target = join(temporaryFolder(), "restored.sqlite");
  writeFileSync(target, "");
  const state = await restoreTo(storage, await contentOf(storage), at, target, SILENT);
  using database = new Database(target);
  expect(database.query("pragma integrity_check").values()).toEqual([["ok"]]);
  return { text: contentOfFile(target), at: state.at };
}

test("every recorded time, and the times between them, is restored as it was", async () => {
  const { storage, recorded, first, last } = await scene();
  expect(recorded.size).toBeGreaterThanOrEqual(10);
  for (const [at, text] of recorded) {
    expect(await restored(storage, at)).toEqual({ text, at });
    expect(await restored(storage, at + 999)).toEqual({ text, at });
  }
  expect(await restored(storage, null)).toEqual({ text: recorded.get(last) ?? "", at: last });
  const [span] = await restorableSpans(storage, await contentOf(storage));
  expect(span).toMatchObject({ from: first, to: last, snapshots: 2 });
});

test("a time before the first snapshot is refused, and the first time is named", async () => {
  const { storage } = await scene();
  await expect(restored(storage, 1_999)).rejects.toThrow("begins at 1970-01-01T00:00:02.000Z");
});

test("a replica that is not there is not made", async () => {
  const storage = new FolderReplica(join(temporaryFolder(), "absent"));
  await expect(contentOf(storage)).rejects.toThrow("There is no replica at");
});

test("a large transaction whose end is after the time is left out", async () => {
  const { storage, recorded, objects } = await scene();
  // The record of 500 rows without its last part.
  const name = objects[5] ?? "";
  const bytes = (await storage.read(name)) ?? new Uint8Array();
  const whole = Buffer.from(bytes);
  const cut = whole.lastIndexOf('{"n":');
  await storage.write(name, whole.subarray(0, cut));
  for (const later of objects.slice(6)) await storage.remove(later);
  for (const { name } of await storage.list("chains/"))
    if (name.includes("snapshots/000002")) await storage.remove(name);
  expect(await restored(storage, null)).toEqual({ text: recorded.get(6_000) ?? "", at: 6_000 });
});

type Scene = Awaited<ReturnType<typeof scene>>;
test.each<[string, (scene: Scene, name: string) => Promise<void>, RegExp]>([
  ["altered", async ({ storage }, name) => storage.write(name, altered(await whole(storage, name))), /altered/],
  [
    "truncated",
    async ({ storage }, name) => storage.write(name, (await whole(storage, name)).subarray(0, -9)),
    /altered/,
  ],
  ["missing", ({ storage }, name) => storage.remove(name), /Piece 4 of volume 1 .* is missing/],
  [
    "swapped with its neighbour",
    async ({ storage, objects }, name) => {
      const [one, other] = [await whole(storage, name), await whole(storage, objects[3] ?? "")];
      await storage.write(name, other);
      await storage.write(objects[3] ?? "", one);
    },
    /Record \d+ is where record \d+ must be/,
  ],
  [
    "given twice",
    async ({ storage, objects }, name) => storage.write(name, await whole(storage, objects[1] ?? "")),
    /is where record \d+ must be/,
  ],
])("a piece of the log that is %s is refused, and the last intact time is named", async (_, harm, reason) => {
  const all = await scene();
  const { storage, recorded } = all;
  await harm(all, all.objects[2] ?? "");
  // Only the snapshot before it needs this piece.
  expect((await restored(storage, null)).at).toBe(all.last);
  const refusal = await restored(storage, 6_000).catch((error: Error) => error.message);
  expect(refusal).toMatch(reason);
  expect(refusal).toContain("--at 1970-01-01T00:00:03.000Z");
  expect(await restored(storage, 3_000)).toEqual({ text: recorded.get(3_000) ?? "", at: 3_000 });
});

test("a missing volume in the middle is refused", async () => {
  const { storage } = await scene();
  for (const { name } of await storage.list("chains/"))
    if (name.includes("/log/00000001-") || name.includes("snapshots/000002")) await storage.remove(name);
  await expect(restored(storage, null)).rejects.toThrow("Volume 1 of the chain 000001-aaaabbbb is missing");
});

test("volumes of two writers are not trusted", async () => {
  const { storage, objects } = await scene();
  const name = objects[8] ?? "";
  await storage.write(name.replace("0123abcd", "99999999"), await whole(storage, name));
  await expect(restored(storage, null)).rejects.toThrow("Two servers wrote volume 2");
});

test("a damaged snapshot is left out where an older one reaches the same time", async () => {
  const { storage, recorded, last } = await scene();
  const parts = (await storage.list("chains/")).filter(({ name }) => /000002\/pages/.test(name));
  await storage.remove(parts[0]?.name ?? "");
  expect(await restored(storage, null)).toEqual({ text: recorded.get(last) ?? "", at: last });
  for (const { name } of await storage.list("chains/")) if (/000001\/pages/.test(name)) await storage.remove(name);
  await expect(restored(storage, null)).rejects.toThrow(/The part .* of a snapshot is missing. Choose an earlier time/);
});

test("a chain of another database is refused", async () => {
  const { storage, path } = await scene();
  await new SmallReplica(storage, path, { chain: 2, database: "0".repeat(32) }).begin(50_000);
  await storage.write("identity.json", Buffer.from(JSON.stringify({ format: 1, database: "d".repeat(32) })));
  await expect(restored(storage, null)).rejects.toThrow("is of another database than the replica");
});

async function whole(storage: FolderReplica, name: string): Promise<Uint8Array> {
  return (await storage.read(name)) ?? new Uint8Array();
}

/** Returns the bytes with one bit changed. */
function altered(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy.set([(copy.at(-5) ?? 0) ^ 1], copy.length - 5);
  return copy;
}
