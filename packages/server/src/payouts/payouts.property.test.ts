import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { FakeChain } from "../../test/support/chains/fake-chain.ts";
import { PayoutWorld } from "../../test/support/chains/payout-world.ts";
import { openFreshSqlite } from "../../test/support/databases.ts";
import type { ChainKind } from "../chains/chain.ts";

/**
 * Holds for every order of crashes, faults and chain events (guarantees P13): each payout reaches the chain once, or
 * has failed and never reaches it; none is stuck once the chain has recovered; the ledger agrees with the chain.
 */
const RUNS = Number(process.env.PARLEY_TEST_PAYOUT_RUNS ?? 150);

let world: PayoutWorld;
beforeAll(async () => {
  world = await PayoutWorld.open(openFreshSqlite);
});
afterAll(() => world[Symbol.asyncDispose]());

type Event =
  | { do: "request"; token: boolean }
  | { do: "work"; ms: number }
  | { do: "mine"; blocks: number }
  | { do: "reorganise"; depth: number; forgets: boolean }
  | { do: "fault"; kind: "silence" | "hang"; after: boolean; calls: number }
  | { do: "price"; price: number }
  | { do: "set"; what: "reverts" | "refuses" | "poor" | "stopped"; on: boolean }
  | { do: "drop" | "outside" | "wake" | "restart" };

const flag = fc.boolean();
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("request" as const), token: flag }) },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("work" as const), ms: fc.constantFrom(1_000, 20_000, 400_000) }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("mine" as const), blocks: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("reorganise" as const),
      depth: fc.integer({ min: 1, max: 2 }),
      forgets: flag,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("fault" as const),
      kind: fc.constantFrom("silence" as const, "hang" as const),
      after: flag,
      calls: fc.integer({ min: 0, max: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("price" as const), price: fc.integer({ min: 1, max: 100 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("set" as const),
      what: fc.constantFrom("reverts" as const, "refuses" as const, "poor" as const, "stopped" as const),
      on: flag,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom("drop" as const, "outside" as const, "wake" as const, "restart" as const),
    }),
  },
);

test.each<ChainKind>(["evm", "solana"])("on %s, transfers on the chain are payouts, whatever happens", async (kind) => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 5, maxLength: 40 }), async (events) => {
      const run = await world.begin(kind);
      for (const one of events) await apply(run, one);
      await run.heal();
      await run.check();
    }),
    { numRuns: RUNS, endOnFailure: false },
  );
});

async function apply(run: Awaited<ReturnType<PayoutWorld["begin"]>>, event: Event): Promise<void> {
  const chain: FakeChain = run.chain;
  switch (event.do) {
    case "request":
      return run.request(event.token);
    case "work":
      return run.work(event.ms);
    case "mine":
      for (let n = 0; n < event.blocks; n++) chain.mine();
      return;
    case "reorganise":
      return chain.reorganise(event.depth, event.forgets);
    case "fault":
      chain.fault = { kind: event.kind, after: event.after, calls: event.calls };
      return;
    case "price":
      chain.price = BigInt(event.price);
      return;
    case "set":
      return run.set(event.what, event.on);
    case "drop":
      return chain.mempool.clear();
    case "outside":
      return chain.useNonceOutside();
    case "wake":
      return run.wake();
    case "restart":
      return run.restart();
  }
}

test("the property detects a second transfer and a missing one", async () => {
  const run = await world.begin("evm");
  await run.request(false);
  await run.heal();
  await run.check();
  const included = run.chain.blocks.flat()[0];
  if (included === undefined) throw new Error("Nothing arrived.");
  run.chain.blocks.push([included]);
  expect(run.check()).rejects.toThrow();
  run.chain.blocks.splice(0);
  expect(run.check()).rejects.toThrow();
});
