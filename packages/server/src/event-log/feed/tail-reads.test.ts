import { expect, spyOn, test } from "bun:test";
import { user } from "../../../test/support/actors.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase } from "../../../test/support/databases.ts";
import { createChannel } from "../../channels/settings/settings.service.ts";
import { TailReads } from "./tail-reads.ts";

eachDatabase((_, open) => {
  test("all that ask in a turn share one query, and a channel that is gone has no seq", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const ann = await user(ctx, "ann");
    const ids = [1];
    for (let n = 0; n < 9; n++) ids.push((await createChannel(ctx, ann, { name: `Room ${n}` })).id);
    const tails = new TailReads(ctx, () => undefined);
    using queries = spyOn(ctx.db, "executeQuery");
    const read = await Promise.all([...ids, ...ids, 999_999].map((id) => tails.of(id)));
    expect(queries).toHaveBeenCalledTimes(1);
    expect(read.at(-1)).toBeUndefined();
    const rows = await ctx.db.selectFrom("channels").select(["id", "last_seq"]).execute();
    const expected = new Map(rows.map(({ id, last_seq }) => [id, last_seq]));
    expect(read.slice(0, ids.length)).toEqual(ids.map((id) => expected.get(id)));
  });

  test("a request that comes while a query runs is answered by a later one", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const tails = new TailReads(ctx, () => undefined);
    const advance = () => ctx.db.updateTable("channels").set({ last_seq: 7 }).where("id", "=", 1).execute();
    const first = tails.of(1);
    await advance();
    const second = await tails.of(1);
    expect(second).toBe(7);
    await first;
  });

  test("at most two queries run at once, also after others have ended", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const tails = new TailReads(ctx, () => undefined);
    const ends: (() => void)[] = [];
    let [running, most] = [0, 0];
    using _ = spyOn(ctx.db, "executeQuery").mockImplementation(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
      return { rows: [] };
    });
    const turn = () => new Promise(setImmediate);
    for (let wave = 0; wave < 2; wave++) {
      const reads: Promise<unknown>[] = [];
      for (let n = 0; n < 5; n++) {
        reads.push(tails.of(1));
        await turn();
      }
      for (; ends.length > 0; await turn()) ends.shift()?.();
      await Promise.all(reads);
    }
    expect(most).toBe(2);
  });

  test("a failed query is reported to those that asked, and the next one works", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const tails = new TailReads(ctx, () => undefined);
    using failing = spyOn(ctx.db, "executeQuery").mockRejectedValue(new Error("The database is away."));
    const all = await Promise.allSettled([tails.of(1), tails.of(1)]);
    expect(all.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    failing.mockRestore();
    expect(await tails.of(1)).toBe(0);
  });
});
