import { expect, test } from "bun:test";
import { eventually } from "../../test/support/servers/test-server.ts";
import { systemClock } from "../clock.ts";
import { LargeGarbage } from "./large-garbage.ts";

const MIB = 1024 * 1024;

test("16 MiB of large texts are collected once, in a later turn", async () => {
  let collections = 0;
  const garbage = new LargeGarbage(systemClock, () => {
    collections += 1;
  });
  for (let n = 0; n < 40; n += 1) garbage.note(MIB);
  expect(collections).toBe(0);
  await eventually("they are collected", () => collections === 1);
  garbage.note(15 * MIB);
  garbage.note(MIB);
  await eventually("the next ones are, too", () => collections === 2);
});

test("short texts are left to the runtime, however many", async () => {
  let collections = 0;
  const garbage = new LargeGarbage(systemClock, () => {
    collections += 1;
  });
  for (let n = 0; n < 20_000; n += 1) garbage.note(12_000);
  garbage.note(16 * MIB);
  await eventually("only the large one is collected", () => collections === 1);
});

test("collections take at most a quarter of the time", async () => {
  let now = 0;
  const ends: number[] = [];
  const clock = { ...systemClock, monotonic: () => now };
  const garbage = new LargeGarbage(clock, () => {
    now += 10;
    ends.push(now);
  });
  garbage.note(16 * MIB);
  await eventually("the first one has run", () => ends.length === 1);
  garbage.note(16 * MIB);
  const asked = performance.now();
  await eventually("the second one has run", () => ends.length === 2);
  expect(performance.now() - asked).toBeGreaterThan(25);
});
