import { describe, expect, test } from "bun:test";
import { PaymentDemand } from "@parley/protocol/payments";
import Schema from "typebox/schema";
import { buy } from "../../src/payments/offers/paid.service.ts";
import { ANVIL_CHAIN_ID } from "../support/chains/anvil.ts";
import { evmSettings } from "../support/chains/evm.ts";
import {
  COIN_PRICE,
  challengeFor,
  expectTail,
  openShop,
  PLATFORM,
  PRICE,
  payToken,
  present,
  replay,
  sell,
  sellingServer,
  signed,
} from "../support/chains/payment-world.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

/** Resources for sale, paid for on a real chain (protocol §7). */
eachDatabase(async (_, open) => {
  // The replays open more connections from one address than a server accepts by default.
  const { bank, server, ann, bob } = await forAllTests(
    openShop({ database: await open() }, { connectionsPerAddress: 1_000 }),
  );

  const price = BigInt(PRICE.amount);

  describe("the payment flow", () => {
    test("answers 402 with the header, then returns the resource for a POST with a bare hash", async () => {
      const path = await sell(server, "report");
      const asked = await server.guest.get(path);
      expectError(asked, 402, "payment_required");
      const header = JSON.parse(asked.headers.get("payment-required") ?? "");
      expect(Object.keys(header)).toEqual([
        "amount",
        "currency",
        "chainId",
        "recipient",
        "paymentId",
        "resource",
        "expiresAt",
      ]);
      expectTail(header.amount, price);
      expect(header).toMatchObject({
        currency: "USDC",
        chainId: ANVIL_CHAIN_ID,
        recipient: PLATFORM,
        resource: path,
      });
      expect(Schema.Check(PaymentDemand, asked.body.payment)).toBeTrue();
      expect(asked.body.payment).toMatchObject({ ...header, chain: "evm", tokenAddress: bank.usdc, decimals: 6 });
      expect(asked.headers.get("cache-control")).toBe("no-store");
      const txHash = await payToken(bank, 1, PLATFORM, price);
      const got = await present(server.guest, path, txHash, "POST");
      expect({ status: got.status, body: got.body }).toEqual({ status: 200, body: "The content of report" });
      expect(got.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      const refetchToken = expect.any(String);
      expect(JSON.parse(got.headers.get("payment-response") ?? "")).toEqual({ txHash, verified: true, refetchToken });
      // A guest without the challenge's id cannot be identified: the hash is public.
      expectError(await present(server.guest, path, txHash, "POST"), 409, "payment_already_used");
    });

    test("keeps the price that a caller received for ten minutes, even if others get a new price", async () => {
      const path = await sell(server, "dearer");
      await challengeFor(server.guest, path);
      await challengeFor(ann, path);
      expect((await (await staff(server, "pricer", 2)).send("DELETE", "/api/admin/paid/dearer")).status).toBe(200);
      await sell(server, "dearer", { ...PRICE, amount: String(2n * price) });
      for (const who of [server.guest, ann]) {
        expectTail((await challengeFor(who, path)).amount, 2n * price);
        const txHash = await payToken(bank, 1, PLATFORM, price);
        expect((await present(who, path, txHash, "POST")).status).toBe(200);
      }
      await challengeFor(bob, path);
      expectError(await present(bob, path, await payToken(bank, 1, PLATFORM, price)), 402, "amount_too_low");
    });

    test("accepts the native coin, and more than the price", async () => {
      const path = await sell(server, "coin", COIN_PRICE);
      const { recipient, paymentId } = await challengeFor(ann, path);
      const txHash = await bank.anvil.send(2, recipient, 2n * BigInt(COIN_PRICE.amount));
      const got = await present(ann, path, { txHash, paymentId });
      expect(got.status).toBe(200);
      const row = await server.ctx.db
        .selectFrom("payments")
        .selectAll()
        .where("tx_hash", "=", txHash)
        .executeTakeFirstOrThrow();
      expect(row).toMatchObject({ state: "granted", price: COIN_PRICE.amount, amount: "2000000000000000" });
    });

    test("returns bytes unchanged under their media type, and they cannot run here", async () => {
      const path = await sell(server, "page", PRICE, {
        base64: Buffer.from("<script>").toString("base64"),
        media_type: "text/html",
      });
      await challengeFor(ann, path);
      const got = await present(ann, path, await payToken(bank, 1, PLATFORM, price));
      expect(got.body).toBe("<script>");
      expect(got.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(got.headers.get("content-security-policy")).toContain("sandbox");
      expect(got.headers.get("x-content-type-options")).toBe("nosniff");
    });

    test.each(["plain", "base64", "GET", "POST"])("accepts the proof as JSON: %s", async (form) => {
      const path = await sell(server, `form-${form.toLowerCase()}`);
      const { paymentId } = await challengeFor(server.guest, path);
      const txHash = await payToken(bank, 1, PLATFORM, price);
      const proof = JSON.stringify({ txHash, paymentId, ...(await signed(1, paymentId, path)) });
      const text = form === "base64" ? Buffer.from(proof).toString("base64") : proof;
      const got = await present(server.guest, path, text, form === "POST" ? "POST" : "GET");
      expect(got.status).toBe(200);
    });
  });

  describe("the same payer", () => {
    test("fetches again for a day as the account, with a signature or with a guest's own challenge, and nobody else can", async () => {
      const path = await sell(server, "again");
      const first = await challengeFor(ann, path);
      const txHash = await payToken(bank, 1, PLATFORM, price);
      expect((await present(ann, path, txHash)).status).toBe(200);
      expect((await present(ann, path, txHash, "POST")).status).toBe(200);
      expectError(await present(bob, path, txHash), 409, "payment_already_used");
      expectError(await present(server.guest, path, txHash), 409, "payment_already_used");
      const proof = { txHash, paymentId: first.paymentId, ...(await signed(1, first.paymentId, path)) };
      // The account's challenge belongs to the account, whoever signs.
      expectError(await present(bob, path, proof), 402, "payment_required");

      const second = await challengeFor(server.guest, path);
      const paid = await payToken(bank, 2, PLATFORM, price);
      const mine = { txHash: paid, paymentId: second.paymentId };
      expect((await present(server.guest, path, mine)).status).toBe(200);
      expect((await present(server.guest, path, mine)).status).toBe(200);
      expectError(await present(server.guest, path, paid), 409, "payment_already_used");
      const shown = { ...mine, ...(await signed(2, second.paymentId, path)) };
      expect((await present(server.guest, path, shown)).status).toBe(200);
      const other = { ...mine, ...(await signed(3, second.paymentId, path)) };
      expectError(await present(server.guest, path, { ...other, payer: null }), 409, "payment_already_used");
    });

    test("is found for each of several guests who pay at once with bare hashes", async () => {
      const path = await sell(server, "crowd");
      const hashes: string[] = [];
      for (const from of [1, 2, 3, 4, 5]) {
        await challengeFor(server.guest, path);
        hashes.push(await payToken(bank, from, PLATFORM, price));
      }
      const answers = await Promise.all(hashes.map((hash) => present(server.guest, path, hash)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    });

    test("settles the challenge named in the transaction, however many came later", async () => {
      const path = await sell(server, "named", COIN_PRICE);
      const { paymentId } = await challengeFor(ann, path);
      for (let n = 0; n < 60; n++) await challengeFor(ann, path);
      const amount = BigInt(COIN_PRICE.amount);
      const txHash = await bank.anvil.send(1, PLATFORM, amount, paymentId as `0x${string}`);
      expect((await present(ann, path, txHash)).status).toBe(200);
      const row = await server.ctx.db
        .selectFrom("payments")
        .select(["payment_id", "binding"])
        .where("tx_hash", "=", txHash)
        .executeTakeFirst();
      expect(row).toEqual({ payment_id: paymentId, binding: "reference" });
    });

    test("gets one grant for 500 replays at once", async () => {
      const path = await sell(server, "race");
      const { paymentId } = await challengeFor(server.guest, path);
      await challengeFor(ann, path);
      const txHash = await payToken(bank, 3, PLATFORM, price);
      const [anns, guests] = await Promise.all([
        replay(ann, path, txHash, 250),
        replay(server.guest, path, JSON.stringify({ txHash, paymentId }), 250),
      ]);
      // A crowd can delay the chain's response beyond its timeout (502): the first caller may not have got anything by
      // then, and can ask again.
      const told = (statuses: readonly number[]) => [...new Set(statuses)].filter((status) => status !== 502);
      // One of the two was first and fetches it again; for the other it is used.
      expect([anns, guests].map(told).sort()).toEqual([[200], [409]]);
      const rows = await server.ctx.db.selectFrom("payments").selectAll().where("tx_hash", "=", txHash).execute();
      expect(rows.filter(({ state }) => state === "granted")).toHaveLength(1);
    });
  });

  test("a resource that is replaced during a payment is delivered in the version that was paid for", async () => {
    await sell(server, "swapped");
    const { content, mediaType } = await buy(server.ctx, "swapped", async () => {
      const seller = await staff(server, "swapper", 2);
      expect((await seller.send("DELETE", "/api/admin/paid/swapped")).status).toBe(200);
      await sell(server, "swapped", PRICE, { json: { answer: 42 } });
      // By the clock alone, both could have the same millisecond.
      const { removed_at } = await server.ctx.db
        .selectFrom("removed_paid_resources")
        .select("removed_at")
        .where("path", "=", "/api/paid/swapped")
        .executeTakeFirstOrThrow();
      return { id: 1, tx_hash: "0x1", payer: null, granted_at: removed_at + 1 };
    });
    expect([Buffer.from(content).toString(), mediaType]).toEqual(['{"answer":42}', "application/json"]);
  });

  test("a wallet without an account can buy on a server without guest reading, but a copy of a channel counts as reading", async () => {
    await using closed = await sellingServer(bank, {}, { guestRead: false });
    const path = await sell(closed, "walk-in");
    const { paymentId } = await challengeFor(closed.guest, path);
    const got = await present(
      closed.guest,
      path,
      { txHash: await payToken(bank, 1, PLATFORM, price), paymentId },
      "POST",
    );
    expect([got.status, got.body]).toEqual([200, "The content of walk-in"]);
    expectError(await closed.guest.get(path, { headers: { authorization: "Bearer x" } }), 401, "invalid_api_key");
    const owner = await closed.user("ann");
    const { body } = await owner.post("/api/channels", { name: "Sold", price: COIN_PRICE });
    expectError(await closed.guest.get(`/api/channels/${body.channel_id}/export`), 401, "session_required");
  });

  test("a resource that is not for sale is 404, and without a recipient nothing can be sold", async () => {
    expectError(await ann.get("/api/paid/nothing"), 404, "resource_not_found");
    await using off = await startTestServer();
    const boss = await staff(off, "boss", 2);
    const refused = await boss.post("/api/admin/paid", { slug: "x", price: PRICE, text: "x" });
    expectError(refused, 400, "invalid_price");
    expect(refused.body.error).toBe("This server does not take payments, because no chain is configured.");
    const { evmTreasuryKey, ...chain } = evmSettings(bank.anvil.url);
    await using unpaid = await startTestServer({ ...chain, evmTreasuryKey: null });
    const head = await staff(unpaid, "boss", 2);
    const body = { slug: "x", price: COIN_PRICE, text: "x" };
    const unknown = await head.post("/api/admin/paid", { ...body, price: { ...COIN_PRICE, currency: "DOGE" } });
    expectError(unknown, 400, "invalid_price");
    expect(unknown.body.error).toEndWith(`It takes ETH on chain ${ANVIL_CHAIN_ID}.`);
    expectError(await head.post("/api/admin/paid", body), 503, "payments_not_configured");
  });
});
