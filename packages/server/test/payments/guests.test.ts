import { expect, test } from "bun:test";
import {
  challengeFor,
  openShop,
  PLATFORM,
  PRICE,
  payToken,
  present,
  sell,
  signed,
} from "../support/chains/payment-world.ts";
import { eachDatabase } from "../support/databases.ts";
import { dump } from "../support/dump.ts";
import { forAllTests } from "../support/for-all-tests.ts";

/** The server cannot distinguish guests, so they must not hinder each other: a guest who has paid gets the resource. */
eachDatabase(async (_, open) => {
  const { bank, server } = await forAllTests(openShop({ database: await open() }));

  const pay = (from: number) => payToken(bank, from, PLATFORM, BigInt(PRICE.amount));

  test("a bare hash does not use up the challenge that another guest names", async () => {
    const path = await sell(server, "beside");
    await challengeFor(server.guest, path);
    const { paymentId } = await challengeFor(server.guest, path);
    const [bare, txHash] = [await pay(1), await pay(2)];
    expect((await present(server.guest, path, bare)).status).toBe(200);
    const proof = { txHash, paymentId, ...(await signed(2, paymentId, path)) };
    for (const _time of [1, 2]) expect((await present(server.guest, path, proof)).status).toBe(200);
  });

  test("a bare hash stays valid, however many guests have asked since it was paid", async () => {
    const path = await sell(server, "busy");
    await challengeFor(server.guest, path);
    const txHash = await pay(3);
    await server.ctx.db
      .updateTable("payment_challenges")
      .set((eb) => ({ created_at: eb("created_at", "-", 120_000) }))
      .where("resource", "=", path)
      .execute();
    for (let n = 0; n < 60; n++) await challengeFor(server.guest, path);
    await server.ctx.db
      .updateTable("payment_challenges")
      .set((eb) => ({ created_at: eb("created_at", "+", 3_600_000) }))
      .where("resource", "=", path)
      .where("created_at", ">", Date.now() - 60_000)
      .execute();
    expect((await present(server.guest, path, txHash)).status).toBe(200);
  });

  test("HEAD neither uses up a payment nor creates a challenge", async () => {
    const path = await sell(server, "headers");
    await challengeFor(server.guest, path);
    const proof = await pay(4);
    const before = await dump(server.ctx.db);
    const head = await server.guest.send("HEAD", path, { headers: { "payment-signature": proof } });
    expect([head.status, head.body]).toEqual([402, ""]);
    expect(head.headers.get("payment-required")).toBeNull();
    expect(await dump(server.ctx.db)).toEqual(before);
    expect((await present(server.guest, path, proof)).body).toBe("The content of headers");
  });
});
