import { expect, test } from "bun:test";
import { eventually } from "../../test/support/servers/test-server.ts";
import { LargeGarbage } from "./large-garbage.ts";

const MIB = 1024 * 1024;

test("every 24 MiB of large texts are collected once, in a later turn", async () => {
  let collections = 0;
  const garbage = new LargeGarbage(() => {
    collections += 1;
  });
  for (let n = 0; n < 49; n += 1) garbage.note(MIB);
  expect(collections).toBe(0);
  await eventually("they are collected", () => collections === 2);
  garbage.note(22 * MIB);
  garbage.note(MIB);
  await eventually("the rest counts for the next time", () => collections === 3);
});

test("short texts are left to the runtime, however many", async () => {
  let collections = 0;
  const garbage = new LargeGarbage(() => {
    collections += 1;
  });
  for (let n = 0; n < 20_000; n += 1) garbage.note(4_000);
  garbage.note(24 * MIB);
  await eventually("only the large one is collected", () => collections === 1);
});
