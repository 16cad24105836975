import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { FolderReplica } from "../../src/replica/storage-folder.ts";
import { temporaryFolder } from "../support/config.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { stepOf } from "../support/replica/model.ts";
import type { WriterOrder } from "../support/replica/model-writer.ts";
import { restorePlainly } from "../support/replica/plain-restore.ts";

const KILLS = Number(process.env.PARLEY_TEST_REPLICA_KILLS ?? 6);
const program = (name: string) => join(import.meta.dir, "../support/replica", name);

interface Acknowledged {
  k: number;
  at: number;
  state: string;
  chain: number;
}

/** Runs the writer until `isEnough`, kills it or lets it end, and returns what it has acknowledged. */
async function write(order: WriterOrder, isEnough: (acks: Acknowledged[]) => boolean, end: "kill" | "close") {
  const child = Bun.spawn([process.execPath, program("model-writer.ts"), JSON.stringify(order)], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const acks: Acknowledged[] = [];
  let rest = "";
  let isAsked = false;
  for await (const part of child.stdout) {
    const lines = (rest + new TextDecoder().decode(part)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [k, at, state = "", chain] = line.split(" ");
      acks.push({ k: Number(k), at: Number(at), state, chain: Number(chain) });
    }
    if (isAsked || !isEnough(acks)) continue;
    isAsked = true;
    if (end === "kill") child.kill("SIGKILL");
    else child.stdin.end();
  }
  const killedAt = Date.now();
  await child.exited;
  return { acks, killedAt };
}

async function restored(place: string, until?: number): Promise<number> {
  const target = join(temporaryFolder(), "restored.sqlite");
  await restorePlainly(new FolderReplica(place), target, until);
  using database = new Database(target);
  return stepOf(database);
}

/** The replica covers all when its state is "on"; then a random time passes. */
const forAWhile = (ms: number) => (acks: Acknowledged[]) => {
  const covered = acks.find(({ state }) => state === "on");
  return covered !== undefined && (acks.at(-1)?.at ?? 0) > covered.at + ms;
};

for (const isHostile of [false, true]) {
  test(`kills at random moments lose nothing older than the promise${isHostile ? ", beside hostile processes" : ""}`, async () => {
    const order = {
      path: join(temporaryFolder(), "parley.sqlite"),
      place: temporaryFolder(),
      passFrames: 300,
      pauseMs: 5,
    };
    const said: Acknowledged[] = [];
    const losses: number[] = [];
    let hostile: ReturnType<typeof Bun.spawn> | undefined;
    try {
      for (let kill = 0; kill < KILLS; kill += 1) {
        const { acks, killedAt } = await write(order, forAWhile(200 + Math.random() * 2_000), "kill");
        said.push(...acks);
        const k = await restored(order.place);
        const lost = acks.find((ack) => ack.k > k);
        losses.push(lost === undefined ? 0 : killedAt - lost.at);
        // A busy machine delays the copy; the promise of one second is measured in replica.time.test.ts.
        expect(losses.at(-1)).toBeLessThan(PATIENCE_MS);
        if (isHostile) hostile ??= Bun.spawn([process.execPath, program("hostile.ts"), order.path]);
      }
    } finally {
      hostile?.kill("SIGKILL");
      await hostile?.exited;
    }
    for (const { k, at, state } of [said[Math.floor(said.length / 2)], ...said.slice(-20)].filter(
      (ack) => ack !== undefined,
    )) {
      // What was committed later is not there; with a new chain, that time may be before its first snapshot.
      const found = state === "on" ? await restored(order.place, at).catch(() => 0) : 0;
      expect(found).toBeLessThanOrEqual(k + 1);
    }
    if (process.env.PARLEY_TEST_REPLICA_KILLS !== undefined)
      console.log({ isHostile, losses, chains: [...new Set(said.map(({ chain }) => chain))], steps: said.length });
    if (!isHostile) expect(new Set(said.map(({ chain }) => chain))).toEqual(new Set([0, 1]));
  }, 600_000);
}

test("a clean restart goes on with the chain, and loses nothing", async () => {
  const order = {
    path: join(temporaryFolder(), "parley.sqlite"),
    place: temporaryFolder(),
    passFrames: 300,
    pauseMs: 5,
  };
  for (let round = 0; round < 3; round += 1) {
    const { acks } = await write(order, forAWhile(300), "close");
    expect(await restored(order.place)).toBe(acks.at(-1)?.k ?? 0);
    expect(new Set(acks.filter(({ state }) => state === "on").map(({ chain }) => chain))).toEqual(new Set([1]));
  }
}, 120_000);
