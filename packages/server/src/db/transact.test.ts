import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { eachDialect } from "../../test/support/databases.ts";
import { keys, put } from "../../test/support/meta-keys.ts";
import { transactional } from "../../test/support/transactional.ts";
import type { OpenDatabase } from "./database.ts";
import { OutsideTransactionError } from "./guarded-dialect.ts";
import { beforeCommit, beforeReturn, guardCommits, transact } from "./transact.ts";

eachDialect((_, open) => {
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
});
