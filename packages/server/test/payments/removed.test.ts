import { expect, test } from "bun:test";
import { challengeFor, openShop, PLATFORM, PRICE, payToken, present, sell } from "../support/chains/payment-world.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import type { Client } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

/** Buyers keep what was delisted for the rest of their day (protocol §7), and nobody else gets it. */
eachDatabase(async (_, open) => {
  const { bank, server, ann, bob } = await forAllTests(openShop({ database: await open() }));
  const boss = await staff(server, "remover", 2);

  const pay = () => payToken(bank, 1, PLATFORM, BigInt(PRICE.amount));
  const remove = async (path: string) => {
    expect((await boss.delete(path.replace("/api/paid", "/api/admin/paid"))).status).toBe(200);
  };
  /** Asks, pays and gets the resource; returns the proof. */
  const bought = async (who: Client, path: string) => {
    const { paymentId } = await challengeFor(who, path);
    const proof = { txHash: await pay(), paymentId };
    expect((await present(who, path, proof)).status).toBe(200);
    return proof;
  };

  test("a buyer fetches a delisted resource for a day, and it does not exist for everybody else", async () => {
    const path = await sell(server, "gone");
    const [anns, guests] = [await bought(ann, path), await bought(server.guest, path)];
    await remove(path);
    for (const [who, proof] of [
      [ann, anns.txHash],
      [ann, anns],
      [server.guest, guests],
    ] as const) {
      const got = await present(who, path, proof, "POST");
      expect([got.status, got.body]).toEqual([200, "The content of gone"]);
      expect(JSON.parse(got.headers.get("payment-response") ?? "")).toEqual({
        txHash: typeof proof === "string" ? proof : proof.txHash,
        verified: true,
      });
    }
    for (const who of [ann, bob, server.guest]) expectError(await who.get(path), 404, "resource_not_found");
    for (const proof of [anns, anns.txHash, await pay(), `0x${"1".repeat(64)}`, "{"]) {
      expectError(await present(bob, path, proof), 404, "resource_not_found");
    }
    expectError(await boss.delete("/api/admin/paid/gone"), 404, "resource_not_found");
    const { resources } = (await boss.get("/api/admin/paid")).body;
    expect(resources.map(({ slug }: { slug: string }) => slug)).not.toContain("gone");
    const dayAgo = Date.now() - 86_400_000;
    await server.ctx.db
      .updateTable("payments")
      .set({ granted_at: dayAgo })
      .where("tx_hash", "=", anns.txHash)
      .execute();
    expectError(await present(ann, path, anns), 404, "resource_not_found");
    expect((await present(server.guest, path, guests)).status).toBe(200);
  });

  test("a caller who received the price before the delisting can still pay, and nobody else gets a price", async () => {
    const path = await sell(server, "going");
    const { paymentId } = await challengeFor(ann, path);
    await remove(path);
    expectError(await ann.get(path), 404, "resource_not_found");
    const proof = { txHash: await pay(), paymentId };
    for (const _time of [1, 2]) expect((await present(ann, path, proof)).body).toBe("The content of going");
    const { n } = await server.ctx.db
      .selectFrom("payment_challenges")
      .select((eb) => eb.fn.countAll<number | string>().as("n"))
      .where("resource", "=", path)
      .executeTakeFirstOrThrow();
    expect(Number(n)).toBe(1);
  });

  test("a copy of a channel that is now free stays available to callers who received the price, and to nobody else", async () => {
    const { channel_id } = (await bob.post("/api/channels", { name: "Archive" })).body;
    await bob.post("/api/messages", { channel_id, content: "worth it" });
    const path = `/api/channels/${channel_id}/export`;
    const cost = async (price: object | null) =>
      expect((await bob.put(`/api/channels/${channel_id}`, { price })).status).toBe(200);
    await cost(PRICE);
    const got = await bought(ann, path);
    const told = [await challengeFor(ann, path), await challengeFor(server.guest, path)] as const;
    await cost(null);
    expect((await present(ann, path, got)).body).toContain("worth it");
    for (const [who, { paymentId }] of [
      [ann, told[0]],
      [server.guest, told[1]],
    ] as const) {
      const proof = { txHash: await pay(), paymentId };
      for (const _time of [1, 2]) expect((await present(who, path, proof)).body).toContain("worth it");
    }
    const cara = await server.user("cara");
    for (const proof of [got, await pay(), "{"]) {
      expectError(await present(boss, "/api/channels/999999/export", proof), 404, "channel_not_found");
      expectError(await present(cara, path, proof), 403, "forbidden");
      expectError(await present(server.guest, path, proof), 401, "session_required");
    }
    expectError(await ann.get(path), 403, "forbidden");
    expectError(await server.guest.get(path), 401, "session_required");
  });

  test("a resource sold again under the same name gives each buyer the version they paid for", async () => {
    const path = await sell(server, "edition", PRICE, { text: "first" });
    const anns = await bought(ann, path);
    await remove(path);
    await sell(server, "edition", PRICE, { json: { edition: 2 } });
    const bobs = await bought(bob, path);
    await remove(path);
    await sell(server, "edition", PRICE, { text: "third" });
    const first = await present(ann, path, anns);
    expect([first.body, first.headers.get("content-type")]).toEqual(["first", "text/plain; charset=utf-8"]);
    expect((await present(bob, path, bobs)).body).toEqual({ edition: 2 });
    expectError(await present(bob, path, anns), 402, "payment_required");
  });
});
