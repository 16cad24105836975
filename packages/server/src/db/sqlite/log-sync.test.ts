import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Log, LogSync } from "./log-sync.ts";

/** A disk that syncs on request. */
class SlowLog implements Log {
  readonly calls: PromiseWithResolvers<void>[] = [];
  closed = false;

  sync(): Promise<void> {
    const call = Promise.withResolvers<void>();
    this.calls.push(call);
    return call.promise;
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

const failures: unknown[] = [];

function setUp() {
  const log = new SlowLog();
  failures.length = 0;
  return { log, sync: new LogSync(log, (error) => failures.push(error)) };
}

/** Returns which of the promises are settled by now. */
async function settledOf(promises: readonly (Promise<void> | undefined)[]): Promise<boolean[]> {
  const settled = promises.map((promise) => promise === undefined);
  promises.forEach((promise, at) => {
    promise?.then(
      () => (settled[at] = true),
      () => (settled[at] = true),
    );
  });
  // More turns than any promise here needs.
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  return settled;
}

test("nothing waits if nothing was committed", () => {
  expect(setUp().sync.settled()).toBeUndefined();
});

test("a commit is settled when a sync that began after it has ended", async () => {
  const { log, sync } = setUp();
  sync.committed();
  const settled = sync.settled();
  expect(await settledOf([settled])).toEqual([false]);
  log.calls[0]?.resolve();
  await settled;
  expect(sync.settled()).toBeUndefined();
  expect(log.calls.length).toBe(1);
});

test("commits made during a sync share the next sync and wait for it", async () => {
  const { log, sync } = setUp();
  const waits = [1, 2, 3].map(() => {
    sync.committed();
    return sync.settled();
  });
  expect(log.calls.length).toBe(1);
  log.calls[0]?.resolve();
  expect(await settledOf(waits)).toEqual([true, false, false]);
  expect(log.calls.length).toBe(2);
  log.calls[1]?.resolve();
  await Promise.all(waits);
  expect(sync.settled()).toBeUndefined();
});

test("after a failed sync every commit fails with its error, which is reported once", async () => {
  const { log, sync } = setUp();
  const broken = new Error("the disk is broken");
  sync.committed();
  const first = sync.settled();
  sync.committed();
  const second = sync.settled();
  log.calls[0]?.reject(broken);
  await expect(first).rejects.toBe(broken);
  await expect(second).rejects.toBe(broken);
  sync.committed();
  await expect(sync.settled()).rejects.toBe(broken);
  expect(log.calls.length).toBe(1);
  expect(failures).toEqual([broken]);
  await sync.close();
  expect(log.closed).toBe(true);
});

test("a failed sync that nobody waits for fails the next request", async () => {
  const { log, sync } = setUp();
  sync.committed();
  log.calls[0]?.reject(new Error("broken"));
  await expect(sync.settled()).rejects.toThrow("broken");
  await expect(sync.settled()).rejects.toThrow("broken");
});

test("closing waits for running syncs", async () => {
  const { log, sync } = setUp();
  sync.committed();
  sync.committed();
  const closed = sync.close();
  expect(await settledOf([closed])).toEqual([false]);
  log.calls[0]?.resolve();
  expect(await settledOf([closed])).toEqual([false]);
  expect(log.closed).toBe(false);
  log.calls[1]?.resolve();
  await closed;
  expect(log.closed).toBe(true);
});

test("no commit is settled before a sync that began after it has ended, and all settle in the end (property)", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 30 }), async (steps) => {
      const { log, sync } = setUp();
      const waits: { promise: Promise<void> | undefined; coveredBy: number }[] = [];
      let ended = 0;
      const end = () => log.calls[ended++]?.resolve();
      for (const isCommit of steps) {
        if (isCommit) {
          const begun = log.calls.length;
          sync.committed();
          waits.push({ promise: sync.settled(), coveredBy: begun + 1 });
        } else if (ended < log.calls.length) {
          end();
        }
        const settled = await settledOf(waits.map(({ promise }) => promise));
        waits.forEach(({ coveredBy }, at) => {
          expect(settled[at]).toBe(ended >= coveredBy);
        });
        expect(log.calls.length - ended).toBeLessThanOrEqual(1);
      }
      while (ended < log.calls.length) {
        end();
        await settledOf([]);
      }
      expect(sync.settled()).toBeUndefined();
    }),
    { numRuns: 300 },
  );
});
