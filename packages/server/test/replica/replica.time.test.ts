import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../support/config.ts";
import { forAWhile, lossOf, write } from "../support/replica/killed-writer.ts";

const KILLS = 5;
/** Guarantee P30: what was acknowledged earlier than this before the loss of the disk is in the replica. */
const PROMISE_MS = 1_000;

test("a kill loses nothing that was acknowledged a second before", async () => {
  const order = {
    path: join(temporaryFolder(), "parley.sqlite"),
    place: temporaryFolder(),
    passFrames: 300,
    pauseMs: 5,
  };
  const losses: number[] = [];
  for (let kill = 0; kill < KILLS; kill += 1)
    losses.push(await lossOf(order.place, await write(order, forAWhile(500 + Math.random() * 1_000), "kill")));
  expect(losses).toHaveLength(KILLS);
  expect(Math.max(...losses)).toBeLessThanOrEqual(PROMISE_MS);
}, 120_000);
