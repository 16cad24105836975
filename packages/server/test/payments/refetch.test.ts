import { afterEach, beforeEach, expect, test } from "bun:test";
import { paymentMessage } from "@parley/protocol/payments";
import { ChainWorld } from "../support/chains/chain-world.ts";
import { challengeFor, present, sell } from "../support/chains/payment-world.ts";
import { evmWallet, type TestWallet } from "../support/chains/wallets.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import type { Answered, Client } from "../support/servers/test-server.ts";

const PRICE = 1_000_000n;

/** A resource is fetched again by its payer, but not by anybody who has only read the chain (protocol §7). */
eachDatabase((_, open) => {
  let world: ChainWorld;
  let wallet: TestWallet;
  let guest: Client;
  let path: string;
  const start = async (paymentAllowUnbound: boolean) => {
    world = await ChainWorld.start({ paymentAllowUnbound }, { database: await open() });
    guest = world.server.guest;
    const price = { amount: String(PRICE), currency: "ETH", chain_id: world.chain.chainId };
    path = await sell(world.server, "thing", price);
  };
  beforeEach(async () => {
    wallet = evmWallet();
    await start(false);
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const pay = (amount: bigint | string, more: object = {}) =>
    world.put(more, { sender: wallet.address, amount: BigInt(amount) });
  const responseOf = ({ headers }: Answered) => JSON.parse(headers.get("payment-response") ?? "null");
  const used = (answer: Answered) => expectError(answer, 409, "payment_already_used");

  /** A guest buys with the id in the calldata, where everybody can read it. */
  async function boughtInTheOpen() {
    const { paymentId } = await challengeFor(guest, path);
    const txHash = pay(PRICE, { references: [paymentId] });
    const shown = { txHash, paymentId };
    const signature = await wallet.sign(paymentMessage(paymentId, path));
    const first = await present(guest, path, { ...shown, payer: wallet.address, signature });
    expect(first.status).toBe(200);
    return { shown, signature, first };
  }

  test.each([true, false])(
    "the id of a guest's challenge that is on the chain fetches nothing (unbound: %p)",
    async (is) => {
      await world[Symbol.asyncDispose]();
      await start(is);
      const { shown, signature } = await boughtInTheOpen();
      for (const who of [guest, world.cat]) {
        used(await present(who, path, shown));
        used(await present(who, path, { ...shown, refetchToken: "guessed" }));
      }
      expect((await present(guest, path, { ...shown, signature })).status).toBe(200);
    },
  );

  test("a stranger who shows a hash first costs the payer nothing: the payer's signature is granted once more", async () => {
    await world[Symbol.asyncDispose]();
    await start(true);
    const { paymentId } = await challengeFor(guest, path);
    await challengeFor(world.cat, path);
    const txHash = pay(PRICE);
    expect((await present(world.cat, path, txHash)).status).toBe(200);
    used(await present(guest, path, { txHash, paymentId }));
    const forged = await evmWallet().sign(paymentMessage(paymentId, path));
    used(await present(guest, path, { txHash, paymentId, signature: forged }));
    const signature = await wallet.sign(paymentMessage(paymentId, path));
    const proof = { txHash, paymentId, payer: wallet.address, signature };
    const both = await Promise.all([present(guest, path, proof), present(guest, path, proof)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(both.filter((one) => responseOf(one).refetchToken !== undefined)).toHaveLength(1);
    // The grant is the payer's now, for one challenge.
    used(await present(world.cat, path, txHash));
    const { paymentId: second } = await challengeFor(
      world.server.guest,
      await sell(world.server, "more", {
        ...{ amount: String(PRICE), currency: "ETH", chain_id: world.chain.chainId },
      }),
    );
    const other = await wallet.sign(paymentMessage(second, "/api/paid/more"));
    used(
      await present(guest, "/api/paid/more", { txHash, paymentId: second, payer: wallet.address, signature: other }),
    );
  });

  test("the token of the first response fetches the resource again for a day for its holder, and only its hash is stored", async () => {
    const { shown, first } = await boughtInTheOpen();
    const { refetchToken, ...response } = responseOf(first);
    expect(response).toEqual({ txHash: shown.txHash, verified: true });
    expect(Buffer.from(refetchToken, "base64url")).toHaveLength(32);
    const { txHash } = shown;
    for (const who of [guest, world.cat]) {
      const again = await present(who, path, { txHash, refetchToken });
      expect([again.status, again.body]).toEqual([200, "The content of thing"]);
      expect(responseOf(again)).toEqual(response);
    }
    const rows = await world.server.ctx.db.selectFrom("payments").selectAll().where("tx_hash", "=", txHash).execute();
    expect(rows[0]?.refetch_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(rows)).not.toContain(refetchToken);
    const other = await sell(world.server, "other", {
      ...{ amount: String(PRICE), currency: "ETH", chain_id: world.chain.chainId },
    });
    used(await present(guest, other, { txHash, refetchToken }));
    world.clock.advance(86_400_000);
    used(await present(guest, path, { txHash, refetchToken }));
  });

  test("a guest's id that is not on the chain identifies the guest until it is", async () => {
    const { paymentId, amount } = await challengeFor(guest, path);
    const tooLittle = pay(PRICE - 1n, { references: [paymentId] });
    const txHash = pay(amount);
    await present(guest, path, { txHash: tooLittle, paymentId });
    // By now everybody could have read the id and seen the transfer.
    const thief = await present(guest, path, { txHash, paymentId });
    expectError(thief, 402, "payment_required");
    expect(thief.body.details).toEqual({ problem: "not_bound" });
    const signature = await wallet.sign(paymentMessage(paymentId, path));
    expect((await present(guest, path, { txHash, paymentId, signature })).status).toBe(200);
    used(await present(guest, path, { txHash, paymentId }));
  });

  test.each([
    ["a contract wallet's call", (id: string) => `00ff${id.slice(2)}00`, "final"],
    ["a memo", (id: string) => Buffer.from(`for ${id.toUpperCase()}`).toString("hex"), "final"],
    ["a transaction that failed", (id: string) => id.slice(2), "failed"],
  ] as const)("a guest's id that %s shows identifies nobody", async (_where, write, state) => {
    const { paymentId, amount } = await challengeFor(guest, path);
    const data = write(paymentId);
    const seen = pay(amount, { data, state });
    await present(guest, path, { txHash: seen, paymentId });
    const txHash = state === "failed" ? pay(amount) : seen;
    expectError(await present(guest, path, { txHash, paymentId }), 402, "payment_required");
    const signature = await wallet.sign(paymentMessage(paymentId, path));
    expect((await present(guest, path, { txHash, paymentId, signature })).status).toBe(200);
    used(await present(guest, path, { txHash, paymentId }));
  });

  test("a place in a channel returns the token once, to its member, and the token admits nobody else", async () => {
    const { channel_id } = (await world.ann.post("/api/channels", { name: "Shop" })).body;
    const price = { amount: String(PRICE), currency: "ETH", chain_id: world.chain.chainId };
    expect((await world.ann.put(`/api/channels/${channel_id}`, { price })).status).toBe(200);
    const join = `/api/channels/${channel_id}/join`;
    const { recipient, amount } = (await world.cat.post(join)).body.payment;
    const txHash = world.put({}, { sender: "0xElse", recipient, amount: BigInt(amount) });
    const joined = await present(world.cat, join, txHash, "POST");
    const { refetchToken } = joined.body;
    expect(responseOf(joined).refetchToken).toBe(refetchToken);
    await world.cat.post(`/api/channels/${channel_id}/leave`);
    const back = await present(world.cat, join, { txHash, refetchToken }, "POST");
    expect(back.body.my_role).toBe("member");
    expect("refetchToken" in back.body).toBeFalse();
    await world.bob.post(join);
    used(await present(world.bob, join, { txHash, refetchToken }, "POST"));

    const agent = await world.server.agent("Buyer");
    const { channel_slug } = (await world.ann.get(`/api/channels/${channel_id}`)).body.channel;
    const body = { channel_slug, agent_name: "Buyer" };
    const asked = (await agent.post("/api/agenthub/login", body)).body.payment;
    const hash = world.put({}, { sender: "0xElse", recipient: asked.recipient, amount: BigInt(asked.amount) });
    const headers = { "payment-signature": hash };
    const login = await agent.send("POST", "/api/agenthub/login", { body, headers });
    expect(login.body).toMatchObject({ success: true, refetchToken: expect.any(String) });
  });

  test("an erased account's payments keep no token", async () => {
    const { amount } = await challengeFor(world.cat, path);
    const txHash = pay(amount);
    const { refetchToken } = responseOf(await present(world.cat, path, txHash));
    expect((await present(guest, path, { txHash, refetchToken })).status).toBe(200);
    const { forgetPayer } = await import("../../src/payments/erase.ts");
    const { id } = await world.server.ctx.db
      .selectFrom("users")
      .select("id")
      .where("username", "=", "cat")
      .executeTakeFirstOrThrow();
    await forgetPayer(world.server.ctx.db, `u${id}`);
    used(await present(guest, path, { txHash, refetchToken }));
  });
});
