import { describe, expect, test } from "bun:test";
import { ANVIL_CHAIN_ID, accountOf } from "../support/chains/anvil.ts";
import {
  COIN_PRICE,
  challengeIn,
  lookAgain,
  lookUntilGone,
  openShop,
  PLATFORM,
  PRICE,
  payToken,
  present,
} from "../support/chains/payment-world.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { auditLines, staff } from "../support/staff.ts";

/** Channels with a price: joining, reading, copying (protocol §3, §7). */
eachDatabase(async (name, open) => {
  const { bank, server, ann, bob } = await forAllTests(openShop({ database: await open() }));
  const [cara, ruth] = [await server.user("cara"), await staff(server, "ruth", 2)];

  let rooms = 0;
  /** Creates a channel owned by ann with a price. */
  const room = async (settings: object = {}, price: object | null = PRICE): Promise<number> => {
    const { body } = await ann.post("/api/channels", { name: `Shop ${++rooms}`, ...settings });
    const set = await ann.put(`/api/channels/${body.channel_id}`, { price });
    expect(set.body.channel.price).toEqual(price);
    return body.channel_id;
  };
  const join = (id: number) => `/api/channels/${id}/join`;
  const pay = (from: number) => payToken(bank, from, PLATFORM, BigInt(PRICE.amount));

  describe("the price of a channel", () => {
    test("is set in payable currencies, and removed, by those who manage the channel", async () => {
      const id = await room();
      expect((await bob.get("/api/channels")).body.channels.find((one: { id: number }) => one.id === id).price).toEqual(
        PRICE,
      );
      const put = (price: unknown) => ann.put(`/api/channels/${id}`, { price });
      const create = (price: unknown) => ann.post("/api/channels", { name: "Never made", price });
      for (const price of [
        { ...PRICE, currency: "DOGE" },
        { ...PRICE, chain_id: 1 },
        { ...PRICE, amount: "0" },
        { ...PRICE, amount: 5 },
        { ...PRICE, amount: "1.5" },
        "free",
      ]) {
        expectError(await put(price), 400, "invalid_price");
        expectError(await create(price), 400, "invalid_price");
      }
      expectError(await bob.put(`/api/channels/${id}`, { price: null }), 402, "payment_required");
      expect((await put(null)).body.channel.price).toBeNull();
      expect((await bob.get(`/api/messages?channel_id=${id}`)).status).toBe(200);
    });

    test("applies from the first moment of a channel created with one", async () => {
      const { status, body } = await ann.post("/api/channels", { name: `Shop ${++rooms}`, price: PRICE });
      expect([status, body.channel.price]).toEqual([201, PRICE]);
      expectError(await bob.post(join(body.channel_id)), 402, "payment_required");
    });
  });

  describe("a user outside a channel with a price", () => {
    test("can read, hear, send and find nothing, and gets the price", async () => {
      const id = await room();
      const sent = await ann.post("/api/messages", { channel_id: id, content: "the secret herring" });
      const agent = await server.agent(`Reader ${name}`);
      for (const who of [bob, server.guest, agent]) {
        const answer = await who.get(`/api/messages?channel_id=${id}`);
        expectError(answer, 402, "payment_required");
        expect(JSON.parse(answer.headers.get("payment-required") ?? "")).toEqual({
          amount: PRICE.amount,
          currency: PRICE.currency,
          chainId: ANVIL_CHAIN_ID,
          recipient: PLATFORM,
          resource: join(id),
        });
      }
      for (const path of [`/api/channels/${id}/pins`, `/api/channels/${id}/members`, `/api/channels/${id}/online`]) {
        expectError(await bob.get(path), 402, "payment_required");
      }
      expectError(await bob.post("/api/messages", { channel_id: id, content: "hi" }), 402, "payment_required");
      const reaction = `/api/messages/${sent.body.message_id}/reactions/like`;
      expectError(await bob.put(reaction), 402, "payment_required");
      const packet = { channel_id: id, total_amount: "2", count: 1 };
      expectError(await bob.post("/api/red-packets", packet), 403, "not_a_member");
      const made = await ann.post("/api/red-packets", packet);
      expectError(await bob.post(`/api/red-packets/${made.body.packet_id}/claim`), 402, "payment_required");
      expect((await bob.get("/api/search?q=herring")).body.messages ?? []).toEqual([]);
      await ann.post("/api/messages", { channel_id: id, content: `@Reader_${name} are you there?` });
      expect((await agent.get("/api/agenthub/mentions")).body.count).toBe(0);
      using socket = await TestSocket.open(server.url, server.guest.credential);
      expect((await socket.command("channel:join", { channel_id: id })).data.code).toBe("payment_required");
    });

    test("hears nothing more when an open channel gets a price, while members stay", async () => {
      const id = await room({}, null);
      await cara.post(join(id));
      using member = await TestSocket.open(server.url, cara.credential);
      using listener = await TestSocket.open(server.url, bob.credential);
      for (const socket of [member, listener]) {
        expect((await socket.command("channel:join", { channel_id: id })).event).toBe("ack");
      }
      await ann.put(`/api/channels/${id}`, { price: PRICE });
      await listener.next(({ event }) => event === "access:ended");
      await ann.post("/api/messages", { channel_id: id, content: "members only" });
      await member.next(({ event }) => event === "message:new");
      await listener.command("ping");
      expect(listener.frames.some(({ event }) => event === "message:new")).toBeFalse();
    });

    test("enters without paying as an administrator under audit, and is not sold anything when banned", async () => {
      const id = await room();
      expect((await ruth.get(`/api/messages?channel_id=${id}`)).status).toBe(200);
      expect((await ruth.post(join(id))).body.my_role).toBe("member");
      expect(await auditLines(server)).toContain(`ruth channel_join channel:${id}`);
      await ann.post(`/api/channels/${id}/bans`, { username: "bob" });
      expectError(await bob.post(join(id)), 403, "banned");
      expectError(await bob.get(`/api/channels/${id}/export`), 403, "banned");
    });

    test("must send the password before paying", async () => {
      const id = await room({ is_private: true, password: "open sesame" });
      expectError(await bob.post(join(id)), 403, "password_required");
      expectError(await bob.post(join(id), { password: "open" }), 403, "wrong_password");
      expectError(await bob.post(join(id), { password: "open sesame" }), 402, "payment_required");
      const answer = await bob.send("POST", join(id), {
        body: { password: "open sesame" },
        headers: { "payment-signature": await pay(1) },
      });
      expect(answer.body.my_role).toBe("member");
    });
  });

  describe("joining a channel with a price", () => {
    test("over HTTP works by paying, also again with the same proof, and for nobody else with it", async () => {
      const id = await room();
      const { paymentId } = challengeIn(await bob.post(join(id)));
      await cara.post(join(id));
      const txHash = await pay(2);
      const joined = await present(bob, join(id), { txHash, paymentId }, "POST");
      expect(joined.body).toMatchObject({ success: true, my_role: "member" });
      const { refetchToken } = joined.body;
      expect(JSON.parse(joined.headers.get("payment-response") ?? "")).toEqual({
        txHash,
        verified: true,
        refetchToken,
      });
      expect((await bob.get(`/api/messages?channel_id=${id}`)).status).toBe(200);
      expectError(await present(cara, join(id), txHash, "POST"), 409, "payment_already_used");
      await bob.post(`/api/channels/${id}/leave`);
      expectError(await bob.get(`/api/messages?channel_id=${id}`), 402, "payment_required");
      expect((await present(bob, join(id), txHash, "POST")).status).toBe(200);
    });

    test("with another user's signature is possible, and the membership still belongs to one account", async () => {
      const id = await room();
      const challenge = (await bob.post(join(id))).body.payment;
      const payer = accountOf(3);
      const proof = {
        txHash: await pay(3),
        paymentId: challenge.paymentId,
        payer: payer.address,
        signature: await payer.signMessage({ message: challenge.messageToSign }),
      };
      expect((await present(bob, join(id), proof, "POST")).status).toBe(200);
      expectError(await present(cara, join(id), proof, "POST"), 402, "payment_required");
      expectError(await present(cara, join(id), proof.txHash, "POST"), 409, "payment_already_used");
    });

    test("works on a socket", async () => {
      const id = await room();
      using socket = await TestSocket.open(server.url, bob.credential);
      const asked = await socket.command("channel:join", { channel_id: id });
      expect(asked.data).toMatchObject({
        code: "payment_required",
        payment: { recipient: PLATFORM, resource: join(id) },
      });
      const payment_signature = JSON.stringify({ txHash: await pay(4), paymentId: asked.data.payment.paymentId });
      const joined = await socket.command("channel:join", { channel_id: id, payment_signature });
      expect(joined).toMatchObject({ event: "ack", data: { my_role: "member" } });
      await ann.post("/api/messages", { channel_id: id, content: "welcome" });
      await socket.next(({ event }) => event === "message:new");
    });

    test("pays the owner, if they have proven a wallet", async () => {
      const id = await room({}, COIN_PRICE);
      const wallet = accountOf(7).address;
      await server.ctx.db
        .updateTable("users")
        .set({ evm_address: wallet, evm_proven_at: 1 })
        .where("username", "=", "ann")
        .execute();
      const { recipient, paymentId } = challengeIn(await bob.post(join(id)));
      expect(recipient).toBe(wallet);
      const [wrong, right] = [
        await bank.anvil.send(1, PLATFORM, BigInt(COIN_PRICE.amount)),
        await bank.anvil.send(1, wallet, BigInt(COIN_PRICE.amount)),
      ];
      expectError(await present(bob, join(id), { txHash: wrong, paymentId }, "POST"), 402, "wrong_recipient");
      expect((await present(bob, join(id), { txHash: right, paymentId }, "POST")).status).toBe(200);
      await server.ctx.db.updateTable("users").set({ evm_proven_at: null }).where("username", "=", "ann").execute();
    });
  });

  describe("a copy of a channel", () => {
    test("is free for the owner and administrators, and costs the price for everybody else", async () => {
      const id = await room();
      await ann.post("/api/messages", { channel_id: id, content: "worth it" });
      const path = `/api/channels/${id}/export`;
      expect((await ann.get(path)).status).toBe(200);
      expect((await ruth.get(path)).status).toBe(200);
      const { paymentId } = challengeIn(await server.guest.get(path));
      const txHash = await pay(1);
      for (const method of ["GET", "POST"] as const) {
        const copy = await present(server.guest, path, { txHash, paymentId }, method);
        expect(copy.body).toContain("worth it");
        const response = JSON.parse(copy.headers.get("payment-response") ?? "");
        const first = method === "GET" ? { refetchToken: expect.any(String) } : {};
        expect(response).toEqual({ txHash, verified: true, ...first });
        expect(copy.headers.get("cache-control")).toBe("no-store");
      }
      // Joining is separate.
      await bob.post(join(id));
      expectError(await present(bob, join(id), txHash, "POST"), 409, "payment_already_used");
    });

    test("without a price is allowed only to the owner", async () => {
      const id = await room({}, null);
      expectError(await bob.get(`/api/channels/${id}/export`), 403, "forbidden");
      expectError(await server.guest.get(`/api/channels/${id}/export`), 401, "session_required");
    });
  });

  test("a payment that disappears from the chain takes the membership away, and gives it back on its return", async () => {
    const id = await room();
    await bob.post(join(id));
    const txHash = await pay(6);
    const serialized = await bank.anvil.client.request({
      method: "eth_getRawTransactionByHash" as never,
      params: [txHash] as never,
    });
    expect((await present(bob, join(id), txHash, "POST")).status).toBe(200);
    using socket = await TestSocket.open(server.url, bob.credential);
    await socket.command("channel:join", { channel_id: id });
    await bank.anvil.reorganise(1);
    // Anvil returns transactions that a reorganisation removed to the waiting ones, or forgets them.
    await server.ctx.db.updateTable("payments").set({ granted_at: 1 }).where("tx_hash", "=", txHash).execute();
    await lookUntilGone(server, txHash);
    await socket.next(({ event }) => event === "channel:removed");
    expectError(await bob.get(`/api/messages?channel_id=${id}`), 402, "payment_required");
    const row = await server.ctx.db
      .selectFrom("payments")
      .select(["state", "reason"])
      .where("tx_hash", "=", txHash)
      .executeTakeFirst();
    expect(row).toEqual({ state: "revoked", reason: "block_gone" });
    expectError(await present(cara, join(id), txHash, "POST"), 409, "payment_already_used");
    await bank.anvil.client.sendRawTransaction({ serializedTransaction: serialized as never }).catch(() => {});
    await bank.anvil.mine(1);
    await bank.anvil.included(txHash);
    expect((await present(bob, join(id), txHash, "POST")).status).toBe(200);
    await lookAgain(server, txHash);
    const kept = await server.ctx.db
      .selectFrom("payments")
      .select(["state", "due_at"])
      .where("tx_hash", "=", txHash)
      .executeTakeFirst();
    expect(kept).toEqual({ state: "granted", due_at: null });
  });
});
