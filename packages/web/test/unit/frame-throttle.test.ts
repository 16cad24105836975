import { expect, spyOn, test } from "bun:test";

// A name that the compiler does not follow: the file has the types of browsers, the test those of Bun.
const SRC = "../../src";
const { oncePerFrame }: { oncePerFrame(action: () => void): () => void } = await import(
  `${SRC}/state/frame-throttle.ts`
);

/** Runs timers and frames by a clock that moves only with them. */
function withFakeTime(act: (time: { now: number; runUntil(end: number): void }) => void): void {
  const due: { at: number; run: () => void }[] = [];
  const time = {
    now: 0,
    runUntil(end: number) {
      for (;;) {
        due.sort((a, b) => a.at - b.at);
        const next = due[0];
        if (next === undefined || next.at > end) break;
        due.shift();
        time.now = Math.max(time.now, next.at);
        next.run();
      }
      time.now = Math.max(time.now, end);
    },
  };
  const later = (run: () => void, ms = 0) => due.push({ at: time.now + ms, run });
  const page = globalThis as unknown as Record<string, unknown>;
  const before = { document: page.document, requestAnimationFrame: page.requestAnimationFrame };
  const clock = spyOn(performance, "now").mockImplementation(() => time.now);
  const timers = spyOn(globalThis, "setTimeout").mockImplementation(later as never);
  Object.assign(page, { document: { visibilityState: "visible" }, requestAnimationFrame: later });
  try {
    act(time);
  } finally {
    Object.assign(page, before);
    clock.mockRestore();
    timers.mockRestore();
  }
}

/** Returns how often an action of this duration runs in ten seconds, if it is asked for every 10 ms. */
function runsOf(ms: number): number {
  let runs = 0;
  withFakeTime((time) => {
    const draw = oncePerFrame(() => {
      runs += 1;
      time.now += ms;
    });
    for (let at = 0; at < 10_000; at += 10) {
      time.runUntil(at);
      draw();
    }
  });
  return runs;
}

test("quick renders happen ten times a second, and slow ones take a fifth of the time", () => {
  expect(runsOf(1)).toBeWithin(80, 105);
  expect(runsOf(20)).toBeWithin(80, 105);
  expect(runsOf(150)).toBeWithin(11, 18);
});
