import { expect, jest, spyOn, test } from "bun:test";
import { eventually } from "../../test/support/servers/test-server.ts";
import { systemClock } from "../clock.ts";
import { LargeGarbage } from "./large-garbage.ts";

const MIB = 1024 * 1024;

test("16 MiB of large texts are collected once, in a later turn", async () => {
  let collections = 0;
  const garbage = new LargeGarbage(systemClock, () => {
    collections += 1;
    return 0;
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
    return 0;
  });
  for (let n = 0; n < 20_000; n += 1) garbage.note(12_000);
  garbage.note(16 * MIB);
  await eventually("only the large one is collected", () => collections === 1);
});

test("a long collection is followed by a rest of three times as long", async () => {
  let now = 0;
  let collections = 0;
  const clock = { ...systemClock, monotonic: () => now };
  const garbage = new LargeGarbage(clock, () => {
    now += 60_000;
    collections += 1;
    return 0;
  });
  garbage.note(16 * MIB);
  await eventually("the first one has run", () => collections === 1);
  garbage.note(16 * MIB);
  let others = 0;
  new LargeGarbage(clock, () => {
    others += 1;
    return 0;
  }).note(16 * MIB);
  await eventually("another one, noted later and without a rest, has run", () => others === 1);
  expect(collections).toBe(1);
});

test("a short collection is followed by a rest as long as itself", async () => {
  const collections: number[] = [];
  let now = 0;
  const garbage = new LargeGarbage({ ...systemClock, monotonic: () => now }, () => {
    collections.push(now);
    now += 40;
    return 0;
  });
  using timers = spyOn(globalThis, "setTimeout");
  garbage.note(16 * MIB);
  await eventually("the first one has run", () => collections.length === 1);
  garbage.note(16 * MIB);
  expect(timers.mock.calls.at(-1)?.[1]).toBe(40);
  await eventually("the second one has run", () => collections.length === 2);
});

test("a large heap, whose collection takes long, is collected after a quarter of its size", async () => {
  let collections = 0;
  const garbage = new LargeGarbage(systemClock, () => {
    collections += 1;
    return 400 * MIB;
  });
  garbage.note(16 * MIB);
  await eventually("the first one has run", () => collections === 1);
  garbage.note(99 * MIB);
  let others = 0;
  new LargeGarbage(systemClock, () => {
    others += 1;
    return 0;
  }).note(16 * MIB);
  await eventually("another one, noted later, has run", () => others === 1);
  expect(collections).toBe(1);
  garbage.note(MIB);
  await eventually("the second one has run", () => collections === 2);
});

test("what passes after the last collection is collected once, when fewer texts follow", async () => {
  jest.useFakeTimers();
  try {
    let collections = 0;
    const clock = { ...systemClock, monotonic: () => Date.now() };
    const garbage = new LargeGarbage(clock, () => {
      collections += 1;
      return 0;
    });
    garbage.note(MIB);
    jest.advanceTimersByTime(60_000);
    expect(collections).toBe(0);
    garbage.note(16 * MIB);
    jest.advanceTimersByTime(1_000);
    expect(collections).toBe(1);
    garbage.note(MIB);
    jest.advanceTimersByTime(60_000);
    expect(collections).toBe(2);
    garbage.note(MIB);
    jest.advanceTimersByTime(60_000);
    expect(collections).toBe(2);
  } finally {
    jest.useRealTimers();
  }
});
