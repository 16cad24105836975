import { describe, expect, test } from "bun:test";
import { code, eventsOf, user } from "../../test/support/actors.ts";
import { stillClock } from "../../test/support/clock.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase, openFreshSqlite } from "../../test/support/databases.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import type { UserIdentity } from "../http/identity.ts";
import { grantInitialPoints } from "../points/initial-grant.ts";
import { auditLedger } from "../points/ledger-audit.ts";
import { scoreOf } from "../points/score.ts";
import { claimAnswer, claimPacket, claimQueue } from "./claim/claims.service.ts";
import { sweepPackets } from "./close/sweep.ts";
import { createPacket } from "./create/create.service.ts";
import { cancelPacket, listPackets, readPacket } from "./packets.service.ts";

const GENERAL = 1;

/** A user with so many points to spend, as the settings of `ctx` say. */
async function rich(ctx: AppContext, name: string): Promise<UserIdentity> {
  const made = await user(ctx, name);
  await transact(ctx, (ctx) => grantInitialPoints(ctx, made.userId));
  return made;
}

/** In one transaction: the disk is waited for once. */
const people = (ctx: AppContext, count: number): Promise<UserIdentity[]> =>
  transact(ctx, async (ctx) => {
    const made: UserIdentity[] = [];
    for (let n = 0; n < count; n += 1) made.push(await user(ctx, `p${n}`));
    return made;
  });

const newPacket = async (ctx: AppContext, by: UserIdentity, total: number, count: number, more = {}) =>
  (await createPacket(ctx, by, { channel_id: GENERAL, total_amount: String(total), count, ...more }, null)).red_packet;

const pointsOf = async (ctx: AppContext, { userId }: UserIdentity): Promise<number> =>
  (await scoreOf(ctx, userId)).points;

const sound = async (ctx: AppContext) => expect((await auditLedger(ctx.db)).problems).toEqual([]);

test("excessive claims are refused, and queued ones are answered", async () => {
  await using database = await openFreshSqlite();
  const ctx = testContext(database, { config: { initialPoints: 10 } });
  const ann = await rich(ctx, "ann");
  const { packet_id: packetId } = await newPacket(ctx, ann, 10, 2);
  const { userId, username } = ann;
  const claim = () =>
    claimQueue(ctx).add({ packetId, channelId: GENERAL, userId, username, payee: null, joins: false });
  const taken = Array.from({ length: 20_000 }, claim);
  expect(claim).toThrow(code("overloaded"));
  const claims = await Promise.all(taken);
  expect(new Set(claims.map(({ claim }) => claim.rank))).toEqual(new Set([1]));
  await sound(ctx);
});

eachDatabase((name, open) => {
  describe("claims on a red packet", () => {
    test("from 1,000 users at once on 100 shares give exactly 100, each with its rank and summing to the amount", async () => {
      await using database = await open();
      const ctx = testContext(database, { config: { initialPoints: 10_000 } });
      const ann = await rich(ctx, "ann");
      const claimers = await people(ctx, 1_000);
      const packet = await newPacket(ctx, ann, 5_000, 100);
      const all = await Promise.allSettled(claimers.map((who) => claimPacket(ctx, who, packet.packet_id)));
      const got = all.flatMap((each) => (each.status === "fulfilled" ? [each.value.claim] : []));
      expect(got).toHaveLength(100);
      const refused = all.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []));
      expect(new Set(refused)).toEqual(new Set(["packet_empty"]));
      const { red_packet, claims } = await readPacket(ctx, ann, packet.packet_id);
      expect(red_packet).toMatchObject({ status: "exhausted", remaining_amount: "0", remaining_count: 0 });
      expect(claims.map(({ rank }) => rank)).toEqual(Array.from({ length: 100 }, (_, rank) => rank + 1));
      expect(new Set(claims.map(({ username }) => username)).size).toBe(100);
      expect(claims.reduce((sum, { amount }) => sum + Number(amount), 0)).toBe(5_000);
      await sound(ctx);
    });

    test("made at once by one user give one share, and a repetition returns it", async () => {
      await using database = await open();
      const ctx = testContext(database);
      const [ann, bob] = [await rich(ctx, "ann"), await user(ctx, "bob")];
      const { packet_id } = await newPacket(ctx, ann, 10, 3);
      const all = await Promise.all(Array.from({ length: 20 }, () => claimPacket(ctx, bob, packet_id)));
      expect(new Set(all.map(({ claim }) => claim.rank)).size).toBe(1);
      expect(all.filter(({ isNew }) => isNew).length).toBeGreaterThan(0);
      const again = await claimPacket(ctx, bob, packet_id);
      expect(again.claim).toEqual(all[0]?.claim as never);
      expect(again.isNew).toBe(false);
      const answer = JSON.parse(claimAnswer(bob, again));
      expect(answer.red_packet).toMatchObject({ remaining_count: 2, my_claim: answer.claim });
      expect(answer.claim).toMatchObject({ claim_id: packet_id * 256 + 1, username: "bob", rank: 1 });
      expect(await pointsOf(ctx, bob)).toBe(Number(again.claim.amount));
      await sound(ctx);
    });

    test("and a concurrent cancel exclude each other: either it is cancelled unclaimed or not at all", async () => {
      await using database = await open();
      const ctx = testContext(database, { config: { initialPoints: 1_000 } });
      const ann = await rich(ctx, "ann");
      const claimers = await people(ctx, 5);
      for (let round = 0; round < 10; round += 1) {
        const { packet_id } = await newPacket(ctx, ann, 10, 5);
        const work = claimers.map((who) => claimPacket(ctx, who, packet_id));
        const cancel = cancelPacket(ctx, ann, packet_id);
        const [cancelled, ...claimed] = await Promise.allSettled([cancel, ...work]);
        const { red_packet, claims } = await readPacket(ctx, ann, packet_id);
        const isCancelled = cancelled?.status === "fulfilled";
        expect(claims).toHaveLength(isCancelled ? 0 : 5);
        expect(claimed.filter(({ status }) => status === "fulfilled")).toHaveLength(isCancelled ? 0 : 5);
        expect(red_packet.status).toBe(isCancelled ? "refunded" : "exhausted");
        if (!isCancelled) expect(cancelled).toMatchObject({ reason: code("packet_claimed") });
      }
      await sound(ctx);
    });
  });

  test("on two nodes with one database give each share once", async () => {
    if (name !== "postgres") return;
    await using database = await open();
    const [one, two] = [testContext(database, { config: { initialPoints: 1_000 } }), testContext(database)];
    const ann = await rich(one, "ann");
    const claimers = await people(one, 100);
    const ids = [(await newPacket(one, ann, 100, 40)).packet_id, (await newPacket(one, ann, 100, 30)).packet_id];
    const work = ids.flatMap((id) =>
      claimers.flatMap((who, n) => [claimPacket(n % 2 === 0 ? one : two, who, id), claimPacket(two, who, id)]),
    );
    await Promise.allSettled(work);
    for (const [index, count] of [40, 30].entries()) {
      const { red_packet, claims } = await readPacket(two, ann, ids[index] ?? 0);
      expect(red_packet.status).toBe("exhausted");
      expect(new Set(claims.map(({ username }) => username)).size).toBe(count);
    }
    await sound(one);
  });

  test("a sender cannot spend more than their balance with concurrent packets", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const ann = await rich(ctx, "ann");
    const all = await Promise.allSettled(Array.from({ length: 12 }, () => newPacket(ctx, ann, 30, 3)));
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    expect(all.find(({ status }) => status === "rejected")).toMatchObject({ reason: code("insufficient_balance") });
    expect(await pointsOf(ctx, ann)).toBe(10);
    const { red_packets } = await listPackets(ctx, ann, { channel_id: GENERAL });
    expect(red_packets).toHaveLength(3);
    const messages = await ctx.db.selectFrom("messages").select(["packet_id", "id", "seq"]).orderBy("seq").execute();
    // A packet that could not be made left no message and took no number.
    expect(messages.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(messages.map(({ id }) => id)).toEqual(red_packets.map(({ message_id }) => message_id).toReversed());
    await sound(ctx);
  });

  test("a repeated key makes one packet, and with another body it is always refused", async () => {
    await using database = await open();
    const clock = stillClock();
    const ctx = testContext(database, { clock });
    const [ann, bob] = [await rich(ctx, "ann"), await rich(ctx, "bob")];
    const body = { channel_id: GENERAL, total_amount: "20", count: 2 };
    const make = (who: UserIdentity, more = {}) => createPacket(ctx, who, { ...body, ...more }, "the-same-key");
    const all = await Promise.all(Array.from({ length: 5 }, () => make(ann)));
    expect(new Set(all.map(({ packet_id }) => packet_id)).size).toBe(1);
    expect(all.filter(({ deduplicated }) => deduplicated !== true)).toHaveLength(1);
    expect(await pointsOf(ctx, ann)).toBe(80);
    await expect(make(ann, { count: 3 })).rejects.toEqual(code("idempotency_conflict"));
    clock.advance(40 * 24 * 3_600_000);
    expect(await make(ann)).toMatchObject({ deduplicated: true });
    // A key belongs to its sender.
    expect((await make(bob)).deduplicated).toBeUndefined();
    await sound(ctx);
  });

  describe("the sweep of red packets", () => {
    test("returns the rest of an expired packet once, on any number of nodes", async () => {
      await using database = await open();
      const clock = stillClock();
      const [ctx, other] = [testContext(database, { clock }), testContext(database, { clock })];
      const [ann, bob] = [await rich(ctx, "ann"), await user(ctx, "bob")];
      const { packet_id } = await newPacket(ctx, ann, 30, 3, { expires_in: 60 });
      const { claim } = await claimPacket(ctx, bob, packet_id);
      clock.advance(59_999);
      await sweepPackets(ctx);
      expect((await readPacket(ctx, ann, packet_id)).red_packet.status).toBe("active");
      clock.advance(1);
      // Nothing can be claimed after the expiry, even before a sweep.
      await expect(claimPacket(ctx, ann, packet_id)).rejects.toEqual(code("packet_expired"));
      await Promise.all([sweepPackets(ctx), sweepPackets(other), sweepPackets(ctx)]);
      const { red_packet } = await readPacket(ctx, ann, packet_id);
      const left = String(30 - Number(claim.amount));
      expect(red_packet).toMatchObject({
        status: "refunded",
        close_reason: "expired",
        remaining_amount: "0",
        remaining_count: 2,
        refund: { amount: left, status: "settled", tx_hash: null },
      });
      expect(red_packet.fairness.seed).toMatch(/^[0-9a-f]{64}$/);
      expect(await pointsOf(ctx, ann)).toBe(70 + Number(left));
      expect((await eventsOf(ctx, GENERAL)).map(({ event }) => event)).toEqual([
        "span:red_packet:claimed",
        "red_packet:closed",
      ]);
      // The user's claim is unchanged.
      expect((await claimPacket(ctx, bob, packet_id)).claim).toEqual(claim);
      await sound(ctx);
    });

    test("ignores closed packets, and handles 20 at a time", async () => {
      await using database = await open();
      const clock = stillClock();
      const ctx = testContext(database, { clock });
      const ann = await rich(ctx, "ann");
      for (let n = 0; n < 25; n += 1) await newPacket(ctx, ann, 2, 2, { expires_in: 60 });
      const active = async () =>
        (await listPackets(ctx, ann, { channel_id: GENERAL, status: "active" })).red_packets.length;
      clock.advance(3_600_000);
      await sweepPackets(ctx);
      expect(await active()).toBe(5);
      await sweepPackets(ctx);
      expect(await active()).toBe(0);
      expect(await ctx.db.selectFrom("packets").select("id").where("due_at", "is not", null).execute()).toEqual([]);
      expect(await pointsOf(ctx, ann)).toBe(100);
    });
  });
});
