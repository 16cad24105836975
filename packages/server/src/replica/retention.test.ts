import { expect, test } from "bun:test";
import { temporaryFolder } from "../../test/support/config.ts";
import { jsonOf } from "./claim.ts";
import { removeOld } from "./retention.ts";
import { FolderReplica } from "./storage-folder.ts";

const DAY_MS = 24 * 60 * 60_000;
const [OLD, CURRENT, LATER] = ["000001-aaaaaaaa", "000002-bbbbbbbb", "000003-cccccccc"];

/** Writes chains with a volume and a snapshot for each day that is given. */
async function replicaOf(chains: Record<string, readonly number[]>): Promise<FolderReplica> {
  const storage = new FolderReplica(temporaryFolder());
  for (const [chain, days] of Object.entries(chains)) {
    await storage.write(`chains/${chain}/chain.json`, jsonOf({}));
    for (const [index, day] of days.entries()) {
      const number = index + 1;
      await storage.write(`chains/${chain}/log/0000000${number}-0123abcd`, jsonOf({}));
      const folder = `chains/${chain}/snapshots/00000${number}`;
      await storage.write(`${folder}/pages-000001`, jsonOf({}));
      const at = day * DAY_MS;
      const places = { start: { volume: number, record: 1, segment: 1 }, least: { record: 1, at } };
      await storage.write(
        `${folder}/snapshot.json`,
        jsonOf({ format: 1, pageSize: 4096, began: at, at, ...places, parts: [] }),
      );
    }
  }
  return storage;
}

/** Returns the snapshots and volumes that stay, as `<chain>:<s|v><number>`. */
async function leftIn(storage: FolderReplica): Promise<string[]> {
  const names = (await storage.list("chains/")).map(({ name }) => name);
  return names.flatMap((name) => {
    const [, chain = "", kind = "", number = ""] =
      /^chains\/0*(\d+)-[^/]+\/(log|snapshots)\/0*(\d+)(?:-\w+|\/snapshot\.json)$/.exec(name) ?? [];
    return kind === "" ? [] : [`${chain}:${kind === "log" ? "v" : "s"}${number}`];
  });
}

test("what no restore to the last days needs is removed, with the chain of the last snapshot", async () => {
  const storage = await replicaOf({ [OLD]: [1, 2], [CURRENT]: [3, 4, 5, 6] });
  await removeOld(storage, { current: CURRENT, days: 2, now: 6.5 * DAY_MS });
  // The last two days begin at 4.5: the snapshot of day 4 is needed to restore to it.
  expect(await leftIn(storage)).toEqual(["2:v2", "2:v3", "2:v4", "2:s2", "2:s3", "2:s4"]);
  expect(await storage.list(`chains/${OLD}/`)).toEqual([]);
});

test("an older chain stays while a restore may need it", async () => {
  const storage = await replicaOf({ [OLD]: [1, 2], [CURRENT]: [3] });
  await removeOld(storage, { current: CURRENT, days: 7, now: 3.5 * DAY_MS });
  expect(await leftIn(storage)).toEqual(["1:v1", "1:v2", "1:s1", "1:s2", "2:v1", "2:s1"]);
});

test("a clock that is years ahead leaves as many snapshots as days", async () => {
  const storage = await replicaOf({ [CURRENT]: [1, 2, 3, 4] });
  await removeOld(storage, { current: CURRENT, days: 2, now: 4_000 * DAY_MS });
  expect((await leftIn(storage)).filter((name) => name.includes("s"))).toEqual(["2:s3", "2:s4"].map(String));
});

test("a chain that another server has begun later is not touched", async () => {
  const storage = await replicaOf({ [CURRENT]: [9], [LATER]: [] });
  await storage.write(`chains/${LATER}/log/00000001-0123abcd.00000001`, jsonOf({}));
  await removeOld(storage, { current: CURRENT, days: 1, now: 99 * DAY_MS });
  expect(await storage.list(`chains/${LATER}/`)).toHaveLength(2);
});

test("pieces of a volume that is there as a whole are removed", async () => {
  const storage = await replicaOf({ [CURRENT]: [1] });
  await storage.write(`chains/${CURRENT}/log/00000001-0123abcd.00000001`, jsonOf({}));
  await storage.write(`chains/${CURRENT}/log/00000002-0123abcd.00000001`, jsonOf({}));
  await removeOld(storage, { current: CURRENT, days: 7, now: 2 * DAY_MS });
  const log = `chains/${CURRENT}/log/`;
  expect((await storage.list(log)).map(({ name }) => name.slice(log.length))).toEqual([
    "00000001-0123abcd",
    "00000002-0123abcd.00000001",
  ]);
});
