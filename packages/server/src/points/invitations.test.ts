import { afterEach, beforeEach, expect, test } from "bun:test";
import { type StillClock, stillClock } from "../../test/support/clock.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { putMessages } from "../../test/support/put-messages.ts";
import { createUser } from "../accounts/accounts.service.ts";
import type { Profile } from "../config/config.ts";
import type { AppContext } from "../context.ts";
import type { OpenDatabase } from "../db/database.ts";
import { transact } from "../db/transact.ts";
import { erasePoints } from "./erase.ts";
import { readHonor } from "./honor.service.ts";
import { findHold } from "./initial-grant.ts";
import { payDueInvitations } from "./invitations.ts";
import { auditLedger } from "./ledger-audit.ts";
import { scoreOf } from "./score.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

eachDatabase((_, open) => {
  let database: OpenDatabase;
  let clock: StillClock;
  let ctx: AppContext;
  let inviter: number;
  beforeEach(async () => {
    database = await open();
    clock = stillClock();
    ctx = contextOf("production");
    inviter = await create("ann", null);
  }, 60_000);
  afterEach(async () => {
    expect((await auditLedger(ctx.db)).problems).toEqual([]);
    await database[Symbol.asyncDispose]();
  });

  const contextOf = (profile: Profile) => testContext(database, { clock, config: { profile } });
  const create = async (username: string, invitedBy: number | null): Promise<number> => {
    const user = { username, email: null, passwordHash: null, invitedBy, adminLevel: null };
    return (await transact(ctx, (ctx) => createUser(ctx, user))).id;
  };
  /** Writes a message and waits until it is counted. */
  const write = async (userId: number, count = 1) => {
    await putMessages(
      ctx,
      Array.from({ length: count }, () => ({ user_id: userId, created_at: clock.now() })),
    );
    await readHonor(ctx, { id: inviter });
  };
  const earned = async () => (await scoreOf(ctx, inviter)).points - 100;
  const suspend = (userId: number) =>
    ctx.db
      .updateTable("users")
      .set({ suspended_until: clock.now() + 10 * DAY })
      .where("id", "=", userId)
      .execute();
  const pending = () => ctx.db.selectFrom("pending_invitations").select("user_id").execute();

  test("in production an invitation pays when the account is a day old and has written on two days", async () => {
    const bob = await create("bob", inviter);
    await payDueInvitations(ctx);
    await write(bob, 3);
    clock.advance(DAY - 1);
    await write(bob);
    await payDueInvitations(ctx);
    expect(await earned()).toBe(0);
    clock.advance(1);
    await Promise.all([payDueInvitations(ctx), payDueInvitations(ctx)]);
    // The clock starts at midnight, so a message a day minus a millisecond later is on the same day.
    expect(await earned()).toBe(0);
    await write(bob);
    await Promise.all([payDueInvitations(ctx), payDueInvitations(ctx)]);
    expect(await earned()).toBe(10);
    expect(await pending()).toEqual([]);
    await write(bob);
    await payDueInvitations(ctx);
    expect(await earned()).toBe(10);
  });

  test("messages on two days that are counted together count as two days", async () => {
    const bob = await create("bob", inviter);
    const [first, second] = [clock.now(), clock.now() + DAY];
    await putMessages(
      ctx,
      [first, second].map((created_at) => ({ user_id: bob, created_at })),
    );
    clock.advance(DAY);
    await readHonor(ctx, { id: inviter });
    await payDueInvitations(ctx);
    expect(await earned()).toBe(10);
  });

  test("messages before and after midnight do not pay before the account is a day old", async () => {
    clock.advance(23 * HOUR);
    const bob = await create("bob", inviter);
    await write(bob);
    clock.advance(2 * HOUR);
    await write(bob);
    await payDueInvitations(ctx);
    expect(await earned()).toBe(0);
    clock.advance(22 * HOUR);
    await payDueInvitations(ctx);
    expect(await earned()).toBe(10);
  });

  test.each(["inviter", "invited"])("an invitation pays nothing if the %s is suspended", async (who) => {
    const bob = await create("bob", inviter);
    await write(bob);
    clock.advance(DAY);
    await write(bob);
    await suspend(who === "inviter" ? inviter : bob);
    await payDueInvitations(ctx);
    expect(await earned()).toBe(0);
    expect(await pending()).toEqual([]);
  });

  test.each(["inviter", "invited"])("an invitation pays nothing if the %s is erased", async (who) => {
    const bob = await create("bob", inviter);
    await write(bob);
    clock.advance(DAY);
    await write(bob);
    const userId = who === "inviter" ? inviter : bob;
    await transact(ctx, (ctx) => erasePoints(ctx, { userId, username: who }, { a: 0, b: 0 }));
    expect(await pending()).toEqual([]);
    await payDueInvitations(ctx);
    expect((await scoreOf(ctx, inviter)).points).toBe(who === "inviter" ? 0 : 100);
  });

  test("an invitation pays nothing while the inviter's account is being erased", async () => {
    const bob = await create("bob", inviter);
    await write(bob);
    clock.advance(DAY);
    await write(bob);
    await ctx.db.updateTable("users").set({ erased_at: clock.now() }).where("id", "=", inviter).execute();
    await payDueInvitations(ctx);
    expect(await earned()).toBe(0);
  });

  test("in development an invitation pays at once", async () => {
    ctx = contextOf("development");
    await create("bob", inviter);
    expect(await earned()).toBe(10);
    expect(await pending()).toEqual([]);
  });

  test("the initial grant is held for a day: for every account in production, for invited ones in development", async () => {
    const bob = await create("bob", inviter);
    const development = contextOf("development");
    const until = clock.now() + DAY;
    expect(await findHold(ctx, inviter)).toEqual({ amount: 100n, until });
    expect(await findHold(ctx, bob)).toEqual({ amount: 100n, until });
    expect(await findHold(development, inviter)).toBeNull();
    expect(await findHold(development, bob)).toEqual({ amount: 100n, until });
    clock.advance(DAY - 1);
    expect(await findHold(ctx, bob)).not.toBeNull();
    clock.advance(1);
    expect(await findHold(ctx, bob)).toBeNull();
  });

  test("the grant of an account that an import made is held for a day from its claim, however old the account is", async () => {
    clock.advance(30 * DAY);
    const claimed = { user_id: inviter, import_id: 1, claimed_at: clock.now() };
    await ctx.db.insertInto("claimable_accounts").values(claimed).execute();
    expect(await findHold(ctx, inviter)).toEqual({ amount: 100n, until: clock.now() + DAY });
    clock.advance(DAY);
    expect(await findHold(ctx, inviter)).toBeNull();
  });
});
