import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Claim, type SlotLimits, Slots } from "./slots.ts";

type Share = "host";
const WIDE = { total: 100, perOwner: 100, shares: { host: 100 }, waiting: 100, waitMs: 60_000 };

/** Slots whose acts run until the test ends them. */
class Bench {
  readonly slots: Slots<Share>;
  /** The names of acts that run, in the order of their starts. */
  readonly running: string[] = [];
  readonly #ends = new Map<string, () => void>();
  readonly refused: string[] = [];

  constructor(limits: Partial<SlotLimits<Share>> = {}) {
    this.slots = new Slots({ ...WIDE, ...limits });
  }

  /** Begins acts: `ann1` is an act of `ann`. A host after `@` is its share. */
  async begin(...names: string[]): Promise<void> {
    for (const name of names) void this.#run(name);
    await turns();
  }

  async #run(name: string): Promise<void> {
    const [, owner = "", host] = /^([a-z]+)[^@]*(?:@(.+))?$/.exec(name) ?? [];
    const claim: Claim<Share> = { owner, shares: host === undefined ? {} : { host } };
    const done = await this.slots.run(claim, async () => {
      this.running.push(name);
      await new Promise<void>((end) => this.#ends.set(name, end));
      this.running.splice(this.running.indexOf(name), 1);
      return "done";
    });
    if (done === undefined) this.refused.push(name);
  }

  async end(...names: string[]): Promise<void> {
    for (const name of names) this.#ends.get(name)?.();
    await turns();
  }
}

const turns = async () => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

test("an owner with a slot leaves half of all slots to owners who have none", async () => {
  const bench = new Bench({ total: 8 });
  await bench.begin("ann1", "ann2", "ann3", "ann4", "ann5", "ben1", "cid1", "dan1", "eve1", "fay1");
  expect(bench.running).toEqual(["ann1", "ann2", "ann3", "ann4", "ben1", "cid1", "dan1", "eve1"]);
  await bench.end("ann1");
  expect(bench.running.at(-1)).toBe("fay1");
});

test("an owner never has more slots than one owner may have, also when all others are free", async () => {
  const bench = new Bench({ perOwner: 2 });
  await bench.begin("ann1", "ann2", "ann3", "ben1");
  expect(bench.running).toEqual(["ann1", "ann2", "ben1"]);
  await bench.end("ann2");
  expect(bench.running).toEqual(["ann1", "ben1", "ann3"]);
});

test("acts of one share wait for each other, and later ones of other shares pass them", async () => {
  const bench = new Bench({ shares: { host: 1 } });
  await bench.begin("ann1@x", "ben1@x", "ben2@y", "cid1");
  expect(bench.running).toEqual(["ann1@x", "ben2@y", "cid1"]);
  await bench.end("ann1@x");
  expect(bench.running.at(-1)).toBe("ben1@x");
});

test("half of a share is left, too, to owners who have no slot", async () => {
  const bench = new Bench({ shares: { host: 4 } });
  await bench.begin("ann1@x", "ann2@x", "ann3@x", "ben1@x", "cid1@x", "dan1@x", "ann4@y");
  expect(bench.running).toEqual(["ann1@x", "ann2@x", "ben1@x", "cid1@x", "ann4@y"]);
});

test("owners who wait are served in turn, however many acts each has", async () => {
  const bench = new Bench({ total: 1 });
  await bench.begin("zoe1", "ann1", "ann2", "ann3", "ben1", "ben2", "cid1");
  const order: string[] = [];
  for (let next = bench.running[0]; next !== undefined; next = bench.running[0]) {
    order.push(next);
    await bench.end(next);
  }
  expect(order).toEqual(["zoe1", "ann1", "ben1", "cid1", "ann2", "ben2", "ann3"]);
});

test("when too many wait, the owner with the most waiting acts gives up a place", async () => {
  const bench = new Bench({ total: 1, waiting: 3 });
  await bench.begin("zoe1", "ann1", "ann2", "ann3", "ann4");
  expect(bench.refused).toEqual(["ann4"]);
  await bench.begin("ben1");
  expect(bench.refused).toEqual(["ann4", "ann3"]);
  await bench.begin("ben2", "cid1");
  expect(bench.refused).toEqual(["ann4", "ann3", "ben2", "ann2"]);
});

test("an act that waited for too long is refused and leaves the queue", async () => {
  const slots = new Slots({ ...WIDE, total: 1, waitMs: 1 });
  const leave = slots.enter({ owner: "ann" });
  expect(await slots.run({ owner: "ben" }, async () => "ran")).toBeUndefined();
  leave?.();
  expect(await slots.run({ owner: "ben" }, async () => "ran")).toBe("ran");
});

test("a slot that is entered without waiting counts until it is left", async () => {
  const slots = new Slots({ ...WIDE, total: 1 });
  const leave = slots.enter({ owner: "ann" });
  expect(slots.enter({ owner: "ben" })).toBeUndefined();
  const waiting = slots.run({ owner: "ben" }, async () => "ran");
  leave?.();
  expect(await waiting).toBe("ran");
});

test("an act that fails gives its slot back", async () => {
  const slots = new Slots({ ...WIDE, total: 1 });
  await expect(slots.run({ owner: "ann" }, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await slots.run({ owner: "ann" }, async () => "next")).toBe("next");
});

test("whatever happens, no limit is passed, nobody waits beside a free slot, and all slots come back", async () => {
  const step = fc.record({
    owner: fc.constantFrom("a", "b", "c", "d"),
    host: fc.constantFrom("x", "y"),
    ends: fc.nat(3),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const bench = new Bench({ total: 4, perOwner: 3, shares: { host: 3 }, waiting: 12 });
      for (const [at, { owner, host, ends }] of steps.entries()) {
        await bench.begin(`${owner}${at}@${host}`);
        await bench.end(...bench.running.slice(0, ends));
        expect(bench.running.length).toBeLessThanOrEqual(4);
        for (const of of ["a", "b", "c", "d"])
          expect(bench.running.filter((name) => name.startsWith(of)).length).toBeLessThanOrEqual(3);
        for (const of of ["x", "y"])
          expect(bench.running.filter((name) => name.endsWith(of)).length).toBeLessThanOrEqual(3);
      }
      while (bench.running.length > 0) await bench.end(...bench.running);
      const all = ["e", "f", "g"].map((owner) => bench.slots.enter({ owner, shares: { host: "x" } }));
      expect(all.every((leave) => leave !== undefined)).toBeTrue();
    }),
    { seed: 40, numRuns: 200 },
  );
});
