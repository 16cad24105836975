import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../support/config.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { type Acknowledged, forAWhile, lossOf, program, restored, write } from "../support/replica/killed-writer.ts";

const KILLS = Number(process.env.PARLEY_TEST_REPLICA_KILLS ?? 6);

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
        const written = await write(order, forAWhile(200 + Math.random() * 2_000), "kill");
        said.push(...written.acks);
        losses.push(await lossOf(order.place, written));
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
