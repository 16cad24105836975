import { expect, test } from "bun:test";
import type { AgentItem, InboxReader } from "./inbox-reader.ts";
import { InboxRun } from "./inbox-run.ts";

const BACKOFF = { firstMs: 1, maxMs: 1 };

/** A reader with many items of one channel, which counts those that were taken. */
function manyItems(count: number) {
  const reader = {
    taken: 0,
    async *items() {
      for (let item_id = 1; item_id <= count; item_id++) {
        reader.taken = item_id;
        yield { item_id, channel_id: 1 } as AgentItem;
      }
    },
    acknowledged: () => {},
  };
  return reader;
}

test("a run that lags behind holds at most 1,000 items, and handles all of them in order", async () => {
  const reader = manyItems(3_000);
  const handled: number[] = [];
  let most = 0;
  await new InboxRun({
    reader: reader as unknown as InboxReader,
    acknowledge: async () => {},
    async onItem({ item_id }) {
      // Lets the run read as far ahead as it will.
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, reader.taken - handled.length);
      handled.push(item_id);
    },
    stop: new AbortController(),
    backoff: BACKOFF,
    maxRetries: 0,
  }).run();
  expect(handled).toEqual(Array.from({ length: 3_000 }, (_, n) => n + 1));
  expect(most).toBeGreaterThan(900);
  expect(most).toBeLessThanOrEqual(1_001);
});

test("an abort ends a run that waits for room", async () => {
  const stop = new AbortController();
  const reader = manyItems(2_000);
  let handled = 0;
  await new InboxRun({
    reader: reader as unknown as InboxReader,
    acknowledge: async () => {},
    async onItem() {
      handled += 1;
      while (reader.taken < 1_000) await new Promise((resolve) => setImmediate(resolve));
      stop.abort();
    },
    stop,
    backoff: BACKOFF,
    maxRetries: 0,
  }).run();
  expect(handled).toBe(1);
});

test("a concurrency below 1 is refused", () => {
  const parts = { reader: manyItems(0) as unknown as InboxReader, acknowledge: async () => {}, onItem: () => {} };
  const rest = { stop: new AbortController(), backoff: BACKOFF, maxRetries: 0 };
  expect(() => new InboxRun({ ...parts, ...rest, concurrency: 0 })).toThrow(RangeError);
});
