import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { CompiledQuery } from "kysely";
import { openFreshPostgres } from "../../test/support/databases.ts";
import { keys, put } from "../../test/support/meta-keys.ts";
import { transactional } from "../../test/support/transactional.ts";
import { isStorageFull, isUnavailable, type OpenDatabase } from "./database.ts";
import type { Db } from "./db.ts";
import { transact } from "./transact.ts";

describe("transactions that PostgreSQL ends", () => {
  let opened: OpenDatabase;
  let ctx: ReturnType<typeof transactional>;
  beforeEach(async () => {
    opened = await openFreshPostgres();
    ctx = transactional(opened);
  }, 60_000);
  afterEach(() => opened[Symbol.asyncDispose]());

  test("a deadlock is retried, and only the last attempt's effects run", async () => {
    const { id: _, ...general } = await ctx.db.selectFrom("channels").selectAll().executeTakeFirstOrThrow();
    await ctx.db
      .insertInto("channels")
      .values({ ...general, slug: "second" })
      .execute();
    const bump = (db: Db, id: number) =>
      db
        .updateTable("channels")
        .set((eb) => ({ last_seq: eb("last_seq", "+", 1) }))
        .where("id", "=", id)
        .execute();

    const effects: string[] = [];
    let tries = 0;
    let arrived = 0;
    const { promise: bothHoldOne, resolve: meet } = Promise.withResolvers<void>();
    const { promise: oneCommitted, resolve: commit } = Promise.withResolvers<void>();
    const crossing = (first: number, second: number) =>
      transact(ctx, async (ctx) => {
        // PostgreSQL lets a new attempt take a row before the transaction that has waited for it, and both would meet again.
        if (++tries > 2) await oneCommitted;
        await bump(ctx.db, first);
        if (++arrived === 2) meet();
        await bothHoldOne;
        await bump(ctx.db, second);
        ctx.afterCommit(() => effects.push(`${first}-${second}`));
      }).then(commit);
    await Promise.all([crossing(1, 2), crossing(2, 1)]);
    expect(tries).toBe(3);
    expect(effects.sort()).toEqual(["1-2", "2-1"]);
    const rows = await ctx.db.selectFrom("channels").select("last_seq").execute();
    expect(rows).toEqual([{ last_seq: 2 }, { last_seq: 2 }]);
  });

  test("a lasting conflict fails after three attempts", async () => {
    let tries = 0;
    const never = transact(ctx, async (ctx) => {
      tries++;
      await ctx.db.executeQuery(CompiledQuery.raw("do $$ begin raise sqlstate '40001'; end $$"));
    });
    await expect(never).rejects.toMatchObject({ code: "40001" });
    expect(tries).toBe(3);
  });

  test("failed transactions and killed connections do not break the pool", async () => {
    for (let i = 0; i < 20; i++) {
      const killed = transact(ctx, (ctx) =>
        ctx.db.executeQuery(CompiledQuery.raw("select pg_terminate_backend(pg_backend_pid())")),
      );
      expect(isUnavailable(await killed.catch((error) => error))).toBe(true);
    }
    await transact(ctx, (ctx) => put(ctx.db, "alive"));
    expect(await keys(ctx.db)).toEqual(["alive"]);
  });

  test("a full disk and a query timeout give different errors", async () => {
    const full = await ctx.db
      .executeQuery(CompiledQuery.raw("do $$ begin raise sqlstate '53100'; end $$"))
      .catch((error) => error);
    expect([isStorageFull(full), isUnavailable(full)]).toEqual([true, false]);
    const slow = await transact(ctx, async (ctx) => {
      await ctx.db.executeQuery(CompiledQuery.raw("set local statement_timeout = 1"));
      await ctx.db.executeQuery(CompiledQuery.raw("select pg_sleep(5)"));
    }).catch((error) => error);
    expect([isStorageFull(slow), isUnavailable(slow)]).toEqual([false, true]);
  });

  test("a standby, which accepts no writes, is not reported as an internal error", async () => {
    const refused = await transact(ctx, async (ctx) => {
      await ctx.db.executeQuery(CompiledQuery.raw("set transaction read only"));
      await put(ctx.db, "lost");
    }).catch((error) => error);
    expect([isStorageFull(refused), isUnavailable(refused)]).toEqual([false, true]);
  });
});
