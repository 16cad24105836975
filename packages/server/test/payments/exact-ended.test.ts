import { expect, test } from "bun:test";
import { openExactShop, pack, rowsOf, sign, unpack } from "../support/chains/exact-world.ts";
import { PRICE } from "../support/chains/payment-world.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { during } from "../support/rights/slow-call.ts";
import { eventually } from "../support/servers/test-server.ts";

/** A right that ends while a facilitator settles an authorization. */
eachDatabase(async (_, open) => {
  const { bank, server, ann, bob } = await forAllTests(openExactShop({ database: await open() }));

  /** A channel of bob's with a price, and a transfer that ann signed to join it. */
  async function signedJoin() {
    const { id } = await newChannel(bob);
    expect((await bob.put(`/api/channels/${id}`, { price: PRICE })).status).toBe(200);
    const path = `/api/channels/${id}/join`;
    const offer = await eventually("authorizations are offered", async () => {
      const challenge = await ann.post(path, undefined, { headers: { "x402-version": "2" } });
      const offered = unpack(challenge.headers.get("payment-required"));
      return offered.accepts.length === 2 ? offered : null;
    });
    const headers = { "payment-signature": pack(await sign(offer)) };
    const join = () => ann.post(path, undefined, { headers });
    const ban = () => bob.post(`/api/channels/${id}/bans`, { username: "ann" });
    const unban = () => bob.delete(`/api/channels/${id}/bans/ann`);
    return { path, join, ban, unban };
  }

  test("is refused before the transfer is settled, and nothing is moved", async () => {
    const { path, join, ban, unban } = await signedJoin();
    const before = bank.facilitator.asked.length;
    expectError(await during(server, join, ban, "request"), 403, "banned");
    expect(bank.facilitator.asked.slice(before).map(({ path }) => path)).toEqual(["/x402/verify"]);
    expect((await rowsOf(server, path)).granted).toEqual([]);
    await unban();
    expect((await join()).body).toMatchObject({ my_role: "member" });
  });

  test("keeps a transfer that was settled, which lets the payer in when the right is back, without another", async () => {
    const { path, join, ban, unban } = await signedJoin();
    const before = bank.facilitator.asked.length;
    let asked = 0;
    // The first request verifies the transfer; the second settles it.
    const settling = during(server, join, ban, (kind) => kind === "request" && ++asked === 2);
    expectError(await settling, 403, "banned");
    const { granted } = await rowsOf(server, path);
    expect(granted).toMatchObject([{ state: "granted", binding: "signature" }]);
    await unban();
    expect((await join()).body).toMatchObject({ my_role: "member" });
    const paths = bank.facilitator.asked.slice(before).map(({ path }) => path);
    expect(paths).toEqual(["/x402/verify", "/x402/settle"]);
    expect((await rowsOf(server, path)).granted).toHaveLength(1);
  });
});
