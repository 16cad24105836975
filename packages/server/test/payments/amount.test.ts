import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ChainWorld } from "../support/chains/chain-world.ts";
import { challengeFor, expectTail, present, sell } from "../support/chains/payment-world.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { TestSocket } from "../support/servers/socket.ts";
import type { Client } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

const PRICE = 1_000_000n;
const MINUTE = 60_000;

/** A transfer of the exact amount of one caller's challenge belongs to that caller only (protocol §7). */
eachDatabase((_, open) => {
  let world: ChainWorld;
  const start = async (paymentAllowUnbound: boolean) => {
    world = await ChainWorld.start({ paymentAllowUnbound }, { database: await open() });
  };
  beforeEach(() => start(false));
  afterEach(() => world[Symbol.asyncDispose]());

  const selling = (slug: string, amount = PRICE) =>
    sell(world.server, slug, { amount: String(amount), currency: "ETH", chain_id: world.chain.chainId });
  /** A plain transfer of this amount from a wallet that nobody has proven. */
  const pay = (amount: string | bigint, sender = "0xElse") => world.put({}, { sender, amount: BigInt(amount) });
  const bindingOf = async (txHash: string) =>
    (
      await world.server.ctx.db
        .selectFrom("payments")
        .select("binding")
        .where("tx_hash", "=", txHash)
        .where("state", "=", "granted")
        .executeTakeFirst()
    )?.binding;
  const notBound = (answer: Awaited<ReturnType<typeof present>>) => {
    expectError(answer, 402, "payment_required");
    expect(answer.body.details).toEqual({ problem: "not_bound" });
  };

  describe("the plain payment flow without unbound hashes", () => {
    test("gives the resource for the bare hash to a session or key that paid the exact amount of its challenge", async () => {
      const path = await selling("literal");
      for (const who of [world.ann, await world.server.agent("Buyer")]) {
        const { amount } = await challengeFor(who, path);
        expectTail(amount, PRICE);
        const hash = pay(amount);
        expect((await present(who, path, hash, "POST")).body).toBe("The content of literal");
        expect(await bindingOf(hash)).toBe("amount");
      }
    });

    test("requires the paymentId from a guest, because the hash alone is public", async () => {
      const path = await selling("guests");
      const { guest } = world.server;
      const { amount, paymentId } = await challengeFor(guest, path);
      const hash = pay(amount);
      notBound(await present(guest, path, hash, "POST"));
      const proof = { txHash: hash, paymentId };
      for (const _time of [1, 2]) expect((await present(guest, path, proof, "POST")).status).toBe(200);
      expectError(await present(guest, path, hash, "POST"), 409, "payment_already_used");
    });

    test("also joins a channel over HTTP and on a socket", async () => {
      const { channel_id } = (await world.ann.post("/api/channels", { name: "Shop" })).body;
      const price = { amount: String(PRICE), currency: "ETH", chain_id: world.chain.chainId };
      expect((await world.ann.put(`/api/channels/${channel_id}`, { price })).status).toBe(200);
      const path = `/api/channels/${channel_id}/join`;
      const payFor = ({ recipient, amount }: { recipient: string; amount: string }) =>
        world.put({}, { sender: "0xElse", recipient, amount: BigInt(amount) });
      const { payment } = (await world.cat.post(path)).body;
      expect((await present(world.cat, path, payFor(payment), "POST")).body.my_role).toBe("member");

      using socket = await TestSocket.open(world.server.url, world.bob.credential);
      const asked = await socket.command("channel:join", { channel_id });
      const payment_signature = payFor(asked.data.payment);
      const joined = await socket.command("channel:join", { channel_id, payment_signature });
      expect(joined.data).toMatchObject({ my_role: "member", refetchToken: expect.any(String) });
    });

    test("gives nobody a claim by the bare price or any other amount", async () => {
      const path = await selling("inexact");
      const { amount } = await challengeFor(world.cat, path);
      for (const other of [PRICE, BigInt(amount) + 1n, 2n * PRICE]) {
        notBound(await present(world.cat, path, pay(other)));
      }
    });
  });

  test.each([true, false])(
    "another caller's challenge never takes the transfer (unbound hashes allowed: %p)",
    async (isUnbound) => {
      await world[Symbol.asyncDispose]();
      await start(isUnbound);
      const path = await selling("raced");
      const elsewhere = await selling("elsewhere");
      const { amount } = await challengeFor(world.ann, path);
      const agent = await world.server.agent("Watcher");
      const strangers: Client[] = [world.cat, agent, world.server.guest];
      for (const who of strangers) for (const where of [path, elsewhere]) await challengeFor(who, where);
      const hash = pay(amount);
      for (const who of strangers) {
        for (const where of [path, elsewhere]) {
          const { paymentId } = await challengeFor(who, where);
          for (const proof of [hash, { txHash: hash, paymentId }]) {
            expectError(await present(who, where, proof), 409, "payment_already_used");
          }
        }
      }
      // Not even for another resource that its own payer wants.
      await challengeFor(world.ann, elsewhere);
      expectError(await present(world.ann, elsewhere, hash), 409, "payment_already_used");
      expect((await present(world.ann, path, hash)).status).toBe(200);
    },
  );

  test("another user's proven address identifies the payer more strongly than the amount", async () => {
    const path = await selling("proven");
    const { amount } = await challengeFor(world.cat, path);
    await challengeFor(world.bob, path);
    const hash = pay(amount, "0xBob");
    expectError(await present(world.cat, path, hash), 409, "payment_already_used");
    expect((await present(world.bob, path, hash)).status).toBe(200);
    expect(await bindingOf(hash)).toBe("profile");
  });

  describe("the tail of an amount", () => {
    test("exists from a price of 1,000 units on, and never exceeds 9,999", async () => {
      for (const [slug, price] of [
        ["dust", 999n],
        ["small", 1_000n],
        ["large", 10n ** 24n],
      ] as const) {
        const { amount, price: bare } = (await world.ann.get(await selling(slug, price))).body.payment;
        expect(bare).toBe(String(price));
        if (price < 1_000n) expect(amount).toBe(bare);
        else expectTail(amount, price);
      }
    });

    test("is unique under concurrency; when all are taken the price is bare, but accounts still get a tail", async () => {
      const path = await selling("crowded", 20_000n);
      const asked = await Promise.all(Array.from({ length: 30 }, () => challengeFor(world.server.guest, path)));
      const amounts = asked.map(({ amount }) => String(amount));
      const exact = amounts.filter((amount) => amount !== "20000");
      // Guests use the upper half.
      expect([exact.length, new Set(exact).size]).toEqual([10, 10]);
      for (const amount of exact) expect(BigInt(amount) > 20_010n).toBeTrue();
      expectTail((await challengeFor(world.ann, path)).amount, 20_000n);
    });

    test("is limited to twenty per account; further challenges ask for the bare price", async () => {
      const amounts: string[] = [];
      for (let n = 0; n < 21; n += 1) amounts.push((await challengeFor(world.cat, await selling(`many-${n}`))).amount);
      expect(amounts.map((amount) => amount !== String(PRICE))).toEqual([...Array(20).fill(true), false]);
      expectTail((await challengeFor(world.ann, "/api/paid/many-20")).amount, PRICE);
    });

    test("is limited to twenty per account, also for challenges at once", async () => {
      const paths: string[] = [];
      for (let n = 0; n < 50; n += 1) paths.push(await selling(`at-once-${n}`));
      const asked = await Promise.all(paths.map((path) => challengeFor(world.cat, path)));
      expect(asked.filter(({ amount }) => amount !== String(PRICE))).toHaveLength(20);
    });
  });

  describe("a payment challenge", () => {
    test("is the same when it is requested again, also concurrently, and stays valid", async () => {
      const path = await selling("asked-again");
      const asked = await Promise.all(Array.from({ length: 5 }, () => challengeFor(world.ann, path)));
      const first = await challengeFor(world.ann, path);
      for (const other of asked) expect(other).toEqual(first);
      world.clock.advance(9 * MINUTE);
      const later = await challengeFor(world.ann, path);
      expect(later).toMatchObject({ paymentId: first.paymentId, amount: first.amount });
      expect(Date.parse(String(later.expiresAt))).toBe(world.clock.now() + 10 * MINUTE);
      world.clock.advance(9 * MINUTE);
      expect((await present(world.ann, path, pay(first.amount))).status).toBe(200);
      expect((await challengeFor(world.ann, path)).paymentId).not.toBe(first.paymentId);
    });

    test("covers payments made before it expires, and none made after", async () => {
      const [one, two] = [await selling("in-flight"), await selling("too-late")];
      const early = await challengeFor(world.ann, one);
      const late = await challengeFor(world.ann, two);
      world.clock.advance(9 * MINUTE);
      const inTime = pay(String(early.amount));
      world.clock.advance(3 * MINUTE);
      const after = pay(String(late.amount));
      expect((await present(world.ann, one, inTime)).status).toBe(200);
      notBound(await present(world.ann, two, after));
    });

    test("keeps its amount when the price changes while the transfer is under way", async () => {
      const path = await selling("changing");
      const { amount } = await challengeFor(world.ann, path);
      const boss = await staff(world.server, "boss", 2);
      expect((await boss.delete("/api/admin/paid/changing")).status).toBe(200);
      await selling("changing", 3n * PRICE);
      expectTail((await challengeFor(world.ann, path)).amount, 3n * PRICE);
      expect((await present(world.ann, path, pay(amount))).status).toBe(200);
    });

    test("of a guest is shown to nobody else, whatever hash they present", async () => {
      const path = await selling("whispered");
      const told = new Set([(await challengeFor(world.server.guest, path)).paymentId]);
      for (const hash of ["0xh999", pay(PRICE)]) {
        const answer = await present(world.server.guest, path, hash);
        expect(answer.status).toBe(402);
        const { paymentId } = answer.body.payment;
        expect(told.has(paymentId)).toBeFalse();
        told.add(paymentId);
      }
    });
  });
});
