import { expect, test } from "bun:test";
import fc from "fast-check";
import { testContext } from "../../test/support/context.ts";
import { type BackendName, eachDatabase } from "../../test/support/databases.ts";
import { putMessages } from "../../test/support/put-messages.ts";
import { firstSeqSince, type IdRange, idsWithin } from "./first-since.ts";

const RUNS: Record<BackendName, number> = { sqlite: 60, postgres: 20, pglite: 5 };
const CHANNEL = 1;
const isWithin = (ranges: readonly IdRange[], id: number): boolean =>
  ranges.some(({ from, below }) => id >= from && id < below);

eachDatabase((name, open) => {
  test("the first message since a time is the one that a look at all messages finds, whatever seqs are missing", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const steps = fc.array(fc.record({ gap: fc.integer({ min: 1, max: 9 }), later: fc.nat({ max: 3 }) }), {
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(steps, fc.nat({ max: 40 }), async (steps, time) => {
        await ctx.db.deleteFrom("messages").execute();
        let [seq, at] = [0, 0];
        const rows = steps.map(({ gap, later }) => {
          seq += gap;
          at += later;
          return { seq, created_at: at };
        });
        const ids = await putMessages(ctx, rows);
        const lastSeq = seq + 3;
        const first = rows.findIndex(({ created_at }) => created_at >= time);
        const foundSeq = await firstSeqSince(ctx.db, CHANNEL, lastSeq, time);
        const found = await idsWithin(ctx.db, time, undefined);
        const isAfter = rows.filter((row) => row.seq >= foundSeq);
        expect(isAfter).toEqual(first === -1 ? [] : rows.slice(first));
        expect(ids.filter((id) => isWithin(found, id))).toEqual(first === -1 ? [] : ids.slice(first));
      }),
      { numRuns: RUNS[name] },
    );
  });

  test("messages of a time are found among blocks of imports, whose times are older than those around them", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const times = fc.array(fc.nat({ max: 30 }), { maxLength: 8 }).map((all) => all.toSorted((a, b) => a - b));
    const pieces = fc.array(fc.record({ isBlock: fc.boolean(), times, gap: fc.nat({ max: 2 }) }), { maxLength: 6 });
    const span = fc.tuple(fc.option(fc.nat({ max: 31 })), fc.option(fc.nat({ max: 31 })));
    await fc.assert(
      fc.asyncProperty(pieces, span, async (pieces, [since, until]) => {
        await ctx.db.deleteFrom("messages").execute();
        await ctx.db.deleteFrom("import_blocks").execute();
        let [id, native] = [1_000, 0];
        const rows: { id: number; seq: number; created_at: number }[] = [];
        for (const { isBlock, times, gap } of pieces) {
          const first_id = id + 1;
          for (const time of times) {
            id += 1;
            // Native messages ascend over all pieces.
            native = isBlock ? native : Math.max(native, time);
            rows.push({ id, seq: id, created_at: isBlock ? time : native });
          }
          id += gap;
          const block = { first_id, last_id: id, import_id: first_id };
          if (isBlock && id >= first_id) await ctx.db.insertInto("import_blocks").values(block).execute();
        }
        await putMessages(ctx, rows);
        const found = await idsWithin(ctx.db, since ?? undefined, until ?? undefined);
        const expected = rows.filter(
          ({ created_at }) => created_at >= (since ?? 0) && created_at < (until ?? Number.MAX_SAFE_INTEGER),
        );
        expect(rows.filter(({ id }) => isWithin(found, id))).toEqual(expected);
        expect(found.every(({ from }, at) => at === 0 || from < (found[at - 1]?.from ?? 0))).toBe(true);
      }),
      { numRuns: RUNS[name] },
    );
  });

  test("a time is found by few look-ups in the index of the channel", async () => {
    await using database = await open();
    const ctx = testContext(database);
    await putMessages(
      ctx,
      Array.from({ length: 1_000 }, (_, at) => ({ seq: at + 1, created_at: at })),
    );
    let queries = 0;
    const counted = ctx.db.withPlugin({
      transformQuery({ node }) {
        queries += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    expect(await firstSeqSince(counted, CHANNEL, 1_000, 617)).toBe(618);
    expect(queries).toBeLessThanOrEqual(11);
  });
});
