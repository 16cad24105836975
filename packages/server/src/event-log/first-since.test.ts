import { expect, test } from "bun:test";
import fc from "fast-check";
import { testContext } from "../../test/support/context.ts";
import { type BackendName, eachDatabase } from "../../test/support/databases.ts";
import { putMessages } from "../../test/support/put-messages.ts";
import { firstIdSince, firstSeqSince } from "./first-since.ts";

const RUNS: Record<BackendName, number> = { sqlite: 60, postgres: 20, pglite: 5 };
const CHANNEL = 1;

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
        const foundId = await firstIdSince(ctx.db, time);
        const isAfter = rows.filter((row) => row.seq >= foundSeq);
        expect(isAfter).toEqual(first === -1 ? [] : rows.slice(first));
        expect(ids.filter((id) => id >= foundId)).toEqual(first === -1 ? [] : ids.slice(first));
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
