import { expect, test } from "bun:test";
import { eventually } from "../../test/support/servers/test-server.ts";
import { usualTiming } from "../timing.ts";
import { type Host, startBackgroundJob } from "./background-job.ts";

function world() {
  const complaints: string[] = [];
  const closers: (() => unknown)[] = [];
  const log = { warn: (_: unknown, text?: string) => void complaints.push(text ?? "") };
  const ctx: Host = { log, timing: usualTiming, onClose: (close) => void closers.push(close) };
  const close = async () => {
    for (const closer of closers) await closer();
  };
  return { ctx, complaints, close };
}

test("one run at a time: closing waits for the current run, and no other begins", async () => {
  const { ctx, close } = world();
  const gate = Promise.withResolvers<void>();
  const seen = { begun: 0, ended: 0, ticks: 0 };
  startBackgroundJob(ctx, 1, "failed", async () => {
    seen.begun += 1;
    await gate.promise;
    seen.ended += 1;
  });
  await eventually("a pass", () => seen.begun === 1);
  const ticking = setInterval(() => {
    seen.ticks += 1;
  }, 1);
  await eventually("many turns of the timer", () => seen.ticks > 20);
  clearInterval(ticking);
  expect(seen.begun).toBe(1);
  const closed = close().then(() => seen.ended);
  gate.resolve();
  expect(await closed).toBe(1);
});

test("a failed run is reported, and the next one starts", async () => {
  const { ctx, complaints, close } = world();
  let passes = 0;
  startBackgroundJob(ctx, 1, "the sweep failed", async () => {
    passes += 1;
    if (passes === 1) throw new Error("not now");
  });
  await eventually("two more", () => passes >= 3);
  await close();
  expect(complaints).toEqual(["the sweep failed"]);
});
