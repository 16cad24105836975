import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { code, user } from "../../test/support/actors.ts";
import { FakePayouts } from "../../test/support/chains/fake-payouts.ts";
import { ETH, ScriptedChain, TREASURY } from "../../test/support/chains/scripted-chain.ts";
import { type StillClock, stillClock } from "../../test/support/clock.ts";
import { testContext } from "../../test/support/context.ts";
import { chainsOf } from "../chains/chains.ts";
import type { AppContext } from "../context.ts";
import type { OpenDatabase } from "../db/database.ts";
import { openSqlite } from "../db/sqlite/sqlite.ts";
import { transact } from "../db/transact.ts";
import type { UserIdentity } from "../http/identity.ts";
import { grantInitialPoints } from "../points/initial-grant.ts";
import { auditLedger } from "../points/ledger-audit.ts";
import { claimPacket } from "./claim/claims.service.ts";
import { sweepPackets } from "./close/sweep.ts";
import { createPacket } from "./create/create.service.ts";
import { auditPackets } from "./doctor.ts";
import { fundPacket } from "./fund/fund.service.ts";
import { cancelPacket, readPacket } from "./packets.service.ts";

/**
 * Holds for every order of operations on packets (guarantees P11): for each packet, claims + refund + rest are its
 * amount; the ledger sums to zero and no balance is negative; the amount owed on the chain is what was requested and
 * not paid.
 */
const RUNS = 4_000;
const GENERAL = 1;
const FUNDED = { total_amount: "100000", currency: "ETH", chain: "evm" as const };

let ctx: AppContext;
let clock: StillClock;
let chain: ScriptedChain;
let payouts: FakePayouts;
let people: UserIdentity[];
const closers: (() => Promise<void>)[] = [];

beforeAll(async () => {
  clock = stillClock();
  const { db, close } = await openSqlite(":memory:", clock, { mode: "server", onFatal: () => {} });
  closers.push(close);
  const open: OpenDatabase = { db, dialect: "sqlite", [Symbol.asyncDispose]: close };
  ctx = testContext(open, { clock, config: { initialPoints: 300_000 } });
  chain = new ScriptedChain();
  chainsOf(ctx).add(chain);
  payouts = new FakePayouts(ctx);
  people = await Promise.all(["ann", "bob", "cat"].map((name) => user(ctx, name)));
  for (const { userId } of people) await transact(ctx, (ctx) => grantInitialPoints(ctx, userId));
  for (const { userId } of people.slice(0, 2))
    await db
      .updateTable("users")
      .set({ evm_address: `0xUser${userId}`, evm_proven_at: clock.now() })
      .where("id", "=", userId)
      .execute();
});
afterAll(async () => {
  for (const close of closers) await close();
});

const who = fc.nat({ max: 2 });
const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("claim" as const), who }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cancel" as const), who: fc.constant(0) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom("fund" as const, "wrongly" as const), who: fc.constant(0) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("pay" as const, "fail" as const), who: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("wait" as const, "hour" as const), who: fc.constant(0) }) },
);
type Act = { kind: "claim" | "cancel" | "fund" | "wrongly" | "pay" | "fail" | "wait" | "hour"; who: number };

const REFUSALS = [
  "packet_not_active",
  "packet_empty",
  "packet_expired",
  "packet_claimed",
  "wallet_address_required",
  "funding_mismatch",
  "tx_already_used",
].map(code);

async function perform(packetId: number, { kind, who }: Act): Promise<void> {
  const [ann] = people;
  const one = people[who];
  const payout = payouts.requested[payouts.requested.length === 0 ? 0 : who % payouts.requested.length];
  if (ann === undefined) return;
  if (kind === "claim" && one !== undefined) await claimPacket(ctx, one, packetId);
  else if (kind === "cancel") await cancelPacket(ctx, ann, packetId);
  else if (kind === "fund" || kind === "wrongly") await fundPacket(ctx, ann, packetId, transfer(kind === "fund"));
  else if (kind === "pay" && payout !== undefined) {
    await payouts.pay(ctx, payout);
    payouts.requested.splice(payouts.requested.indexOf(payout), 1);
  } else if (kind === "fail" && payout !== undefined) await payouts.fail(ctx, payout);
  else if (kind === "wait" || kind === "hour") {
    clock.advance(kind === "hour" ? 3_600_000 : 61_000);
    await sweepPackets(ctx);
  }
}

function transfer(isRight: boolean): string {
  const { userId = 0 } = people[0] ?? {};
  const amount = isRight ? 100_000n : 99_999n;
  const transfers = [{ asset: ETH, sender: `0xUser${userId}`, recipient: TREASURY, amount }];
  return chain.put({ state: "final", time: clock.now(), transfers });
}

async function balances(packetId: number): Promise<void> {
  const [ann] = people;
  if (ann === undefined) return;
  const { red_packet: packet, claims } = await readPacket(ctx, ann, packetId);
  const claimed = claims.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  const rest = BigInt(packet.remaining_amount);
  const isFunded = packet.funding.status === "settled";
  if (isFunded) expect(claimed + BigInt(packet.refund?.amount ?? 0) + rest).toBe(BigInt(packet.total_amount));
  expect(claims.length).toBe(packet.count - packet.remaining_count);
  const held = await ctx.db
    .selectFrom("ledger_balances")
    .select("balance")
    .where("account", "=", `packet:${packetId}`)
    .executeTakeFirst();
  expect(held?.balance ?? "0").toBe(isFunded ? String(rest) : "0");
}

test("4,000 sequences of create, claim, fund, cancel, expire, refund, pay and fail neither lose nor create money", async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.integer({ min: 1, max: 3 }),
      fc.array(act, { maxLength: 5 }),
      async (onChain, count, acts) => {
        const [ann] = people;
        if (ann === undefined) return;
        const value = onChain ? FUNDED : { total_amount: "9" };
        const made = await createPacket(ctx, ann, { channel_id: GENERAL, ...value, count, expires_in: 60 }, null);
        for (const act of acts) {
          await perform(made.packet_id, act).then(
            () => seen.add(act.kind),
            (error: unknown) => {
              expect(REFUSALS).toContainEqual(error);
              seen.add((error as { code: string }).code);
            },
          );
        }
        await balances(made.packet_id);
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  );
  // All acts but the wrong transfer, which is refused, and all refusals there can be: nothing went untried.
  expect(seen.size).toBe(13);
  const { problems, entries } = await auditLedger(ctx.db);
  expect(problems).toEqual([]);
  expect(entries).toBeGreaterThan(RUNS);
  expect((await auditPackets(ctx.db)).problems).toEqual([]);
  const asked = payouts.requested.reduce((sum, { amount }) => sum + amount, 0n);
  const owed = await ctx.db
    .selectFrom("ledger_balances")
    .select("balance")
    .where("account", "=", "owed:evm:31337")
    .executeTakeFirstOrThrow();
  expect(owed.balance).toBe(String(asked));
});
