import { afterEach, beforeEach, expect, test } from "bun:test";
import { testContext } from "../../test/support/context.ts";
import { eachDialect } from "../../test/support/databases.ts";
import type { AppContext } from "../context.ts";
import { isUniqueViolation, type OpenDatabase } from "./database.ts";
import { transactTogether, writeTogether } from "./group-commit.ts";
import { transact } from "./transact.ts";

const put = (ctx: AppContext, key: string) => ctx.db.insertInto("meta").values({ key, value: "test" }).execute();

async function keys({ db }: AppContext): Promise<string[]> {
  const rows = await db.selectFrom("meta").select("key").where("value", "=", "test").orderBy("key").execute();
  return rows.map(({ key }) => key);
}

eachDialect((_, open) => {
  let opened: OpenDatabase;
  let ctx: AppContext;
  beforeEach(async () => {
    opened = await open();
    ctx = testContext(opened);
  }, 60_000);
  afterEach(() => opened[Symbol.asyncDispose]());

  /** Writes a row and returns its transaction. */
  const putIn = (key: string) =>
    transactTogether(ctx, async (ctx) => {
      await put(ctx, key);
      return ctx.db;
    });

  test("writes made at once are one transaction, in order", async () => {
    const order: string[] = [];
    const each = ["a", "b", "c"].map(async (key) => {
      const db = await putIn(key);
      order.push(key);
      return db;
    });
    expect(new Set(await Promise.all(each)).size).toBe(1);
    expect(order).toEqual(["a", "b", "c"]);
    expect(await keys(ctx)).toEqual(["a", "b", "c"]);
  });

  test("writes made during a transaction are the next one", async () => {
    const { promise: isInside, resolve: inside } = Promise.withResolvers<void>();
    const { promise: goOn, resolve: release } = Promise.withResolvers<void>();
    const first = transactTogether(ctx, async (ctx) => {
      inside();
      await goOn;
      return ctx.db;
    });
    await isInside;
    const later = [putIn("a"), putIn("b")];
    release();
    const [before, ...after] = await Promise.all([first, ...later]);
    expect(after[0]).not.toBe(before);
    expect(after[1]).toBe(after[0]);
  });

  test("a failing write does not fail the others and leaves nothing behind", async () => {
    const told: string[] = [];
    const failing = transactTogether(ctx, async (ctx) => {
      await put(ctx, "half");
      ctx.afterCommit(() => told.push("half"));
      throw new Error("no");
    });
    const told2 = transactTogether(ctx, async (ctx) => {
      await put(ctx, "told");
      ctx.afterCommit(() => told.push("told"));
    });
    const results = await Promise.allSettled([putIn("a"), failing, putIn("a"), told2, putIn("b")]);
    expect(results.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "rejected",
      "fulfilled",
      "fulfilled",
    ]);
    await expect(failing).rejects.toThrow("no");
    const [, , twice] = results;
    expect(twice?.status === "rejected" && isUniqueViolation(twice.reason)).toBe(true);
    expect(await keys(ctx)).toEqual(["a", "b", "told"]);
    expect(told).toEqual(["told"]);
  });

  test("any number of concurrent writes succeeds", async () => {
    const names = Array.from({ length: 150 }, (_, n) => String(1_000 + n));
    const used = new Set(await Promise.all(names.map(putIn)));
    expect(used.size).toBe(3);
    expect(await keys(ctx)).toEqual(names);
  });

  test("a statement joins the group, and runs alone without a transaction", async () => {
    const where: boolean[] = [];
    const state = (key: string) =>
      writeTogether(ctx, async (ctx) => {
        where.push(ctx.db.isTransaction);
        await put(ctx, key);
      });
    await state("a");
    await Promise.all([state("b"), putIn("c")]);
    await expect(state("a")).rejects.toThrow();
    expect(where).toEqual([false, true, false]);
    expect(await keys(ctx)).toEqual(["a", "b", "c"]);
  });

  test("a write inside a transaction joins that transaction", async () => {
    const failing = transact(ctx, async (ctx) => {
      await transactTogether(ctx, (ctx) => put(ctx, "a"));
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await keys(ctx)).toEqual([]);
  });

  test("when the database is unavailable all writes fail, without a retry", async () => {
    let tries = 0;
    const away = Object.create(ctx, {
      slots: { value: new Map() },
      root: { get: () => away },
      storageError: { value: () => "storage_unavailable" },
    }) as AppContext;
    const act = () =>
      transactTogether(away, () => {
        tries += 1;
        throw new Error("away");
      });
    const results = await Promise.allSettled([act(), act(), act()]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(tries).toBe(1);
  });
});
