import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { CompiledQuery, type Kysely } from "kysely";
import { eachDialect } from "../../test/support/databases.ts";
import { transactional } from "../../test/support/transactional.ts";
import { isStorageFull, isUnavailable, type OpenDatabase } from "./database.ts";
import { OutsideTransactionError } from "./guarded-dialect.ts";
import type { Tables } from "./tables/tables.ts";
import { beforeCommit, beforeReturn, guardCommits, transact } from "./transact.ts";

const put = (db: Kysely<Tables>, key: string) => db.insertInto("meta").values({ key, value: "test" }).execute();

async function keys(db: Kysely<Tables>): Promise<string[]> {
  const rows = await db.selectFrom("meta").select("key").where("value", "=", "test").orderBy("key").execute();
  return rows.map((row) => row.key);
}

eachDialect((name, open) => {
  let opened: OpenDatabase;
  let ctx: ReturnType<typeof transactional>;
  beforeEach(async () => {
    opened = await open();
    ctx = transactional(opened);
  }, 60_000);
  afterEach(() => opened[Symbol.asyncDispose]());

  test("a transaction commits its writes and returns the result", async () => {
    const answer = await transact(ctx, async (ctx) => {
      await put(ctx.db, "a");
      return "answer";
    });
    expect(answer).toBe("answer");
    expect(await keys(ctx.db)).toEqual(["a"]);
  });

  test("a transaction that throws is rolled back, and the next one works", async () => {
    const failing = transact(ctx, async (ctx) => {
      await put(ctx.db, "a");
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await keys(ctx.db)).toEqual([]);
    await transact(ctx, (ctx) => put(ctx.db, "b"));
    expect(await keys(ctx.db)).toEqual(["b"]);
  });

  test("a failing statement rolls back the statements before it", async () => {
    const failing = transact(ctx, async (ctx) => {
      await put(ctx.db, "a");
      await put(ctx.db, "a");
    });
    await expect(failing).rejects.toThrow();
    expect(await keys(ctx.db)).toEqual([]);
  });

  test("effects run after the commit, in order, before the result is returned", async () => {
    const seen: unknown[] = [];
    await transact(ctx, async (inner) => {
      inner.afterCommit(() => seen.push("first"));
      await put(inner.db, "a");
      inner.afterCommit(() => seen.push(keys(ctx.db)));
      inner.afterCommit(() => seen.push("last"));
      expect(seen).toEqual([]);
    });
    expect(await Promise.all(seen)).toEqual(["first", ["a"], "last"]);
  });

  test("a transaction can write just before its commit, and wait for something after its effects", async () => {
    const seen: unknown[] = [];
    await transact(ctx, async (inner) => {
      beforeCommit(inner.db, () => put(inner.db, "z").then(() => {}));
      beforeReturn(inner.db, async () => void seen.push("returns"));
      inner.afterCommit(() => seen.push("effect"));
      await put(inner.db, "a");
      expect(await keys(inner.db)).toEqual(["a"]);
    });
    expect(await keys(ctx.db)).toEqual(["a", "z"]);
    expect(seen).toEqual(["effect", "returns"]);
    expect(() => beforeCommit(ctx.db, async () => {})).toThrow("only inside a transaction");
  });

  test("a transaction that may no longer commit is rolled back", async () => {
    let isOver = false;
    guardCommits(ctx.db, () => () => {
      if (isOver) throw new Error("too late");
    });
    await transact(ctx, (inner) => put(inner.db, "a"));
    const late = transact(ctx, async (inner) => {
      await put(inner.db, "b");
      isOver = true;
    });
    await expect(late).rejects.toThrow("too late");
    expect(await keys(ctx.db)).toEqual(["a"]);
  });

  test("a rollback runs no effect", async () => {
    let ran = false;
    const failing = transact(ctx, async (ctx) => {
      const run = () => {
        ran = true;
      };
      ctx.afterCommit(run, run);
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(ran).toBe(false);
  });

  test("a commit in doubt runs only the effects that are right in both cases", async () => {
    const transaction = ctx.db.transaction.bind(ctx.db);
    using _ = spyOn(ctx.db, "transaction").mockImplementation(() => {
      const made = transaction();
      const execute = made.execute.bind(made);
      made.execute = async (act) => {
        await execute(act);
        throw new Error("The connection broke.");
      };
      return made;
    });
    const ran: string[] = [];
    const failing = transact(ctx, async (ctx) => {
      ctx.afterCommit(() => ran.push("told"));
      ctx.afterCommit(
        () => ran.push("told too"),
        () => ran.push("forgotten"),
      );
      await put(ctx.db, "a");
    });
    await expect(failing).rejects.toThrow("The connection broke.");
    expect(ran).toEqual(["forgotten"]);
  });

  test("an effect that throws is logged and affects neither the result nor other effects", async () => {
    const seen: string[] = [];
    const answer = await transact(ctx, async (ctx) => {
      ctx.afterCommit(() => {
        throw new Error("bus is down");
      });
      ctx.afterCommit(() => seen.push("second"));
      return 1;
    });
    expect([answer, seen]).toEqual([1, ["second"]]);
    expect(ctx.logged).toMatchObject([{ err: { message: "bus is down" } }]);
  });

  test("effects outside of a transaction run at once", () => {
    let ran = false;
    ctx.afterCommit(() => {
      ran = true;
    });
    expect(ran).toBe(true);
  });

  test("a nested transaction joins the outer one: one commit, then the effects of both", async () => {
    const seen: string[] = [];
    await transact(ctx, async (outer) => {
      outer.afterCommit(() => seen.push("outer"));
      await transact(outer, async (inner) => {
        expect(inner.db).toBe(outer.db);
        inner.afterCommit(() => seen.push("inner"));
        await put(inner.db, "a");
      });
      expect(seen).toEqual([]);
    });
    expect(seen).toEqual(["outer", "inner"]);
    expect(await keys(ctx.db)).toEqual(["a"]);
  });

  test("a failure in a nested transaction fails the outer one, even if it was caught", async () => {
    const whole = transact(ctx, async (ctx) => {
      await put(ctx.db, "a");
      await transact(ctx, async (ctx) => {
        await put(ctx.db, "b");
        throw new Error("half done");
      }).catch(() => {});
    });
    await expect(whole).rejects.toThrow("half done");
    expect(await keys(ctx.db)).toEqual([]);
  });

  test("a query on the outer database inside a transaction throws at once", async () => {
    const whole = transact(ctx, async (inner) => {
      await put(inner.db, "a");
      await keys(ctx.db);
    });
    await expect(whole).rejects.toBeInstanceOf(OutsideTransactionError);
    await expect(transact(ctx, () => transact(ctx, async () => {}))).rejects.toBeInstanceOf(OutsideTransactionError);
    expect(await keys(ctx.db)).toEqual([]);
  });

  test("work that outlives its transaction may use the outer database", async () => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    let later: Promise<string[]> | undefined;
    await transact(ctx, async (inner) => {
      await put(inner.db, "a");
      later = over.then(() => keys(ctx.db));
    });
    end();
    expect(await later).toEqual(["a"]);
  });

  test("the inner database cannot be used after the transaction", async () => {
    const inner = await transact(ctx, async (ctx) => ctx.db);
    await expect(keys(inner)).rejects.toThrow();
  });

  test("concurrent transactions and queries do not mix", async () => {
    const add = (i: number) =>
      transact(ctx, async (ctx) => {
        const { last_seq } = await ctx.db
          .updateTable("channels")
          .set((eb) => ({ last_seq: eb("last_seq", "+", 1) }))
          .where("id", "=", 1)
          .returning("last_seq")
          .executeTakeFirstOrThrow();
        await put(ctx.db, `k${String(last_seq).padStart(3, "0")}`);
        if (i % 5 === 0) throw new Error("fifth");
        return last_seq;
      });
    const results = await Promise.allSettled(Array.from({ length: 50 }, (_, i) => Promise.all([add(i), keys(ctx.db)])));
    const given = results.flatMap((r) => (r.status === "fulfilled" ? [r.value[0]] : [])).sort((a, b) => a - b);
    expect(given).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    expect(await keys(ctx.db)).toHaveLength(40);
  });

  if (name !== "postgres") return;

  test("a deadlock is retried, and only the last attempt's effects run", async () => {
    const { id: _, ...general } = await ctx.db.selectFrom("channels").selectAll().executeTakeFirstOrThrow();
    await ctx.db
      .insertInto("channels")
      .values({ ...general, slug: "second" })
      .execute();
    const bump = (db: Kysely<Tables>, id: number) =>
      db
        .updateTable("channels")
        .set((eb) => ({ last_seq: eb("last_seq", "+", 1) }))
        .where("id", "=", id)
        .execute();

    const effects: string[] = [];
    let tries = 0;
    let arrived = 0;
    const { promise: bothHoldOne, resolve: meet } = Promise.withResolvers<void>();
    const crossing = (first: number, second: number) =>
      transact(ctx, async (ctx) => {
        tries++;
        await bump(ctx.db, first);
        if (++arrived === 2) meet();
        await bothHoldOne;
        await bump(ctx.db, second);
        ctx.afterCommit(() => effects.push(`${first}-${second}`));
      });
    await Promise.all([crossing(1, 2), crossing(2, 1)]);
    // One of them is tried again, twice if PostgreSQL gives it up a second time.
    expect([3, 4]).toContain(tries);
    expect(effects.sort()).toEqual(["1-2", "2-1"]);
    const rows = await ctx.db.selectFrom("channels").select("last_seq").execute();
    expect(rows).toEqual([{ last_seq: 2 }, { last_seq: 2 }]);
  }, 60_000);

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
