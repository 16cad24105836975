import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { recheckSettlements } from "../../src/payments/recheck.ts";
import { MemoryBroker, MemoryBus } from "../../src/realtime/broker/broker.memory.ts";
import {
  arrived,
  type ExactBank,
  exactServer,
  offeredTo,
  openExactBank,
  pack,
  presentPacked,
  rowsOf,
  sign,
} from "../support/chains/exact-world.ts";
import type { Answering } from "../support/chains/facilitator.ts";
import { sell } from "../support/chains/payment-world.ts";
import { RpcProxy } from "../support/chains/rpc-proxy.ts";
import { clockAhead } from "../support/clock.ts";
import { openPlace } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { Client, eventually, type TestServer } from "../support/servers/test-server.ts";

/** Longer than a node that settles something can be silent. */
const LEASE_OVER_MS = 21_000;
/** After that, the first node that comes asks the chain. */
const DUE_MS = 31_000;

/**
 * Two whole servers on one PostgreSQL, with one facilitator and one chain (guarantees P14): whichever server receives a
 * signature, and whichever hangs, it is settled and granted once.
 */
describe("one payment at two servers", () => {
  const world = new AsyncDisposableStack();
  let bank: ExactBank;
  let proxy: RpcProxy;
  let nodes: [first: TestServer, second: TestServer];
  let people: [atFirst: Client, atSecond: Client];
  const clock = clockAhead();

  beforeAll(async () => {
    bank = world.use(await openExactBank());
    proxy = world.use(new RpcProxy(bank.anvil.url));
    const { url } = world.use(await openPlace());
    const bus = new MemoryBus();
    const node = async () =>
      world.use(
        await exactServer(
          bank,
          { clock, broker: new MemoryBroker({ bus }) },
          { evmRpcUrls: [proxy.url], database: { kind: "postgres", url } },
        ),
      );
    nodes = [await node(), await node()];
    const ann = await nodes[0].user("ann");
    people = [ann, new Client(nodes[1].url, ann.credential)];
  });
  afterAll(() => world.disposeAsync());
  beforeEach(() => {
    bank.facilitator.reset();
    proxy.faults.clear();
  });

  /** Returns a resource that both sell, a signature that pays for it, and a second signature for the same challenge. */
  async function ordered(slug: string) {
    const path = await sell(nodes[0], slug);
    const offer = await offeredTo(people[0], path);
    const validBefore = String(Math.floor(clock.now() / 1_000) + 600);
    const signature = async () => pack(await sign(offer, { authorization: { validBefore } }));
    const [payload, another] = [await signature(), await signature()];
    const show = (node: 0 | 1, what = payload) => presentPacked(people[node], path, what);
    return { path, show, another, before: await arrived(bank) };
  }

  /**
   * Checks that it was paid and granted once, and that the payer gets it at both servers without another request to the
   * facilitator.
   */
  async function expectBoughtOnce({ path, show, before }: Awaited<ReturnType<typeof ordered>>): Promise<void> {
    const told = bank.facilitator.asked.length;
    for (const node of [0, 1] as const) expect((await show(node)).status).toBe(200);
    expect(bank.facilitator.asked).toHaveLength(told);
    expect(await arrived(bank)).toBe(before + 1);
    const { granted, settlements } = await rowsOf(nodes[0], path);
    expect([granted.length, settlements.map(({ state }) => state)]).toEqual([1, ["granted"]]);
    const { db } = nodes[1].ctx;
    const hash = granted[0]?.tx_hash ?? "";
    expect(await db.selectFrom("chain_receipts").selectAll().where("tx_hash", "=", hash).execute()).toHaveLength(1);
  }

  test("is sent to the facilitator once, though it is shown to both at once, repeatedly", async () => {
    for (let round = 0; round < 4; round++) {
      const order = await ordered(`at-once-${round}`);
      bank.facilitator.reset();
      const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => order.show(n % 2 === 0 ? 0 : 1)));
      for (const answer of answers) if (answer.status !== 200) expectError(answer, 402, "payment_pending");
      expect(answers.some(({ status }) => status === 200)).toBeTrue();
      expect(bank.facilitator.settled).toBe(1);
      await expectBoughtOnce(order);
    }
  });

  test("is settled once if two signatures for one challenge arrive, one at each server", async () => {
    for (let round = 0; round < 4; round++) {
      const order = await ordered(`two-signatures-${round}`);
      bank.facilitator.reset();
      const answers = await Promise.all([order.show(0), order.show(1, order.another)]);
      const paid = answers.filter(({ status }) => status === 200);
      expect([paid.length, bank.facilitator.settled]).toEqual([1, 1]);
      const isAnother = answers[1] === paid[0];
      const show = (node: 0 | 1, what?: string) => order.show(node, what ?? (isAnother ? order.another : undefined));
      await expectBoughtOnce({ ...order, show });
      const refused = await (isAnother ? order.show(1) : order.show(0, order.another));
      expectError(refused, 402, "payment_required");
    }
  });

  const moments: Record<string, (released: Promise<void>) => { verify?: Answering; settle?: Answering }> = {
    "while the facilitator looks": (released) => ({
      verify: async (honest) => released.then(async () => Response.json(await honest())),
    }),
    // Like a server that is no longer waited for.
    "while the facilitator looks and never says": (released) => ({
      verify: async () => released.then(() => new Response(null, { status: 500 })),
    }),
    "before the facilitator has settled": (released) => ({
      settle: async (honest) => released.then(async () => Response.json(await honest())),
    }),
    "after the facilitator has settled": (released) => ({
      settle: async (honest) => honest().then(async (done) => released.then(() => Response.json(done))),
    }),
  };
  test.each(Object.keys(moments))(
    "continues at the other server if one hangs %s, and the first changes nothing",
    async (moment) => {
      const order = await ordered(moment.replaceAll(" ", "-"));
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      const hanging = moments[moment]?.(released) ?? {};
      const hung = Promise.withResolvers<void>();
      // Only the first one that asks hangs.
      for (const step of ["verify", "settle"] as const) {
        const hang = hanging[step];
        if (hang === undefined) continue;
        bank.facilitator[step] = (honest, asked) => {
          bank.facilitator[step] = async (honest) => Response.json(await honest());
          const answer = hang(honest, asked);
          hung.resolve();
          return answer;
        };
      }
      const first = order.show(0);
      await hung.promise;
      expectError(await order.show(1), 402, "payment_pending");
      clock.ahead += LEASE_OVER_MS;
      const second = await order.show(1);
      expect(second.status).toBe(200);
      release();
      const late = await first;
      if (late.status !== 200) expectError(late, 402, "payment_pending");
      await expectBoughtOnce(order);
    },
  );

  test("is granted once if the payer does not return and both servers check it", async () => {
    const orders: Awaited<ReturnType<typeof ordered>>[] = [];
    for (let n = 0; n < 5; n++) {
      const order = await ordered(`nobody-${n}`);
      bank.facilitator.settle = async (honest) => {
        const done = await honest();
        proxy.faults.set("*", { kind: "status", status: 500 });
        return Response.json(done);
      };
      expectError(await order.show(0), 502, "chain_unavailable");
      bank.facilitator.reset();
      proxy.faults.clear();
      orders.push(order);
    }
    clock.ahead += DUE_MS;
    const isGranted = async ({ path }: (typeof orders)[number]) =>
      (await rowsOf(nodes[0], path)).settlements[0]?.state === "granted";
    await eventually(
      "all are granted",
      async () => {
        await Promise.all([...nodes, ...nodes].map(({ ctx }) => recheckSettlements(ctx)));
        return (await Promise.all(orders.map(isGranted))).every(Boolean);
      },
      20_000,
    );
    expect(bank.facilitator.settled).toBe(0);
    // The price has arrived for each before the next was requested.
    for (const order of orders) await expectBoughtOnce({ ...order, before: (await arrived(bank)) - 1 });
  });
});
