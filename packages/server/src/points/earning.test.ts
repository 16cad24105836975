import { afterEach, beforeEach, expect, test } from "bun:test";
import { user } from "../../test/support/actors.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { putMessages } from "../../test/support/put-messages.ts";
import { createUser } from "../accounts/accounts.service.ts";
import type { AppContext } from "../context.ts";
import type { OpenDatabase } from "../db/database.ts";
import { transact } from "../db/transact.ts";
import { onControl } from "../realtime/control/control.ts";
import { creditLike } from "./earning.ts";
import { readHonor, readPoints } from "./honor.service.ts";
import { auditLedger } from "./ledger-audit.ts";
import { scoreOf } from "./score.ts";

eachDatabase((_, open) => {
  let database: OpenDatabase;
  let ctx: AppContext;
  let closers: (() => void | Promise<void>)[];
  beforeEach(async () => {
    database = await open();
    closers = [];
    ctx = {
      ...testContext(database, { config: { honorThresholds: [0, 4, 8] } }),
      onClose: (act) => void closers.push(act),
    };
  }, 60_000);
  afterEach(async () => {
    expect((await auditLedger(ctx.db)).problems).toEqual([]);
    for (const close of closers) await close();
    await database[Symbol.asyncDispose]();
  });

  const like = (messageId: number, authorId: number, likerId: number) =>
    transact(ctx, (ctx) => creditLike(ctx, { messageId, authorId, likerId }));

  test("a like pays once for each message and liker, concurrently, too, and a higher level is published", async () => {
    const author = (await user(ctx, "ann")).userId;
    const changed: number[] = [];
    onControl(ctx, "user_changed", (subject) => changed.push(subject));
    await Promise.all([2, 3, 2, 3, 3].map((liker) => like(7, author, liker + 100)));
    expect(await scoreOf(ctx, author)).toEqual({ points: 4, honorLevel: 1 });
    expect(changed).toEqual([author]);
    await like(7, author, author);
    await like(7, author, 102);
    await like(8, author, 102);
    expect(await scoreOf(ctx, author)).toEqual({ points: 6, honorLevel: 1 });
    await like(8, author, 103);
    expect(changed).toEqual([author, author]);
  });

  test("a like whose transaction fails pays nothing and publishes nothing", async () => {
    const author = (await user(ctx, "ann")).userId;
    const failing = transact(ctx, async (ctx) => {
      await creditLike(ctx, { messageId: 1, authorId: author, likerId: 99 });
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await scoreOf(ctx, author)).toEqual({ points: 0, honorLevel: 0 });
  });

  test("new users get their grant and their inviters are paid, concurrently, too", async () => {
    const create = (username: string, invitedBy: number | null) =>
      transact(ctx, (ctx) =>
        createUser(ctx, { username, email: null, passwordHash: null, invitedBy, adminLevel: null }),
      );
    const ann = await create("ann", null);
    await Promise.all(["bob", "cleo", "dora", "emil"].map((name) => create(name, ann.id)));
    expect(await readHonor(ctx, ann)).toEqual({
      honor_level: 2,
      total_points: 40,
      level_points: 8,
      next_level_points: null,
      online_hours: 0,
      invite_count: 4,
      message_count: 0,
    });
    expect(await scoreOf(ctx, ann.id)).toEqual({ points: 140, honorLevel: 2 });
  });

  test("messages are counted when honor is read, and each hundred pays a point", async () => {
    const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
    const honorOf = ({ userId }: { userId: number }) => readHonor(ctx, { id: userId });
    const of = (userId: number, count: number) => Array.from({ length: count }, () => ({ user_id: userId }));
    await putMessages(ctx, [...of(ann.userId, 99), ...of(bob.userId, 3)]);
    expect(await honorOf(ann)).toMatchObject({ message_count: 99, total_points: 0 });
    await putMessages(ctx, [{ sender_type: "agent", agent_id: 1 }, { sender_type: "system" }, ...of(ann.userId, 202)]);
    const [first, second] = await Promise.all([honorOf(ann), honorOf(ann)]);
    expect(first).toMatchObject({ message_count: 301, total_points: 3 });
    expect(second).toEqual(first);
    expect(await honorOf(bob)).toMatchObject({ message_count: 3, total_points: 0 });
    const { entries } = await readPoints(ctx, ann, { id: ann.userId, username: "ann" }, {});
    expect(entries.map(({ kind, amount, balance }) => [kind, amount, balance])).toEqual([
      ["messages", 1, 3],
      ["messages", 1, 2],
      ["messages", 1, 1],
    ]);
  });
});
