import { describe, expect, spyOn, test } from "bun:test";
import { clockAhead, stillClock } from "../../test/support/clock.ts";
import { addChannel, commit, node, note, noted, numbers, options, upTo } from "../../test/support/consumers.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { putMessages } from "../../test/support/put-messages.ts";
import { eventually } from "../../test/support/servers/test-server.ts";
import type { AppContext } from "../context.ts";
import { isSqlite } from "../db/dialect.ts";
import { beforeReturn } from "../db/transact.ts";
import { consumeMessages } from "./consumer.ts";
import { onCommit } from "./events.ts";
import type { Span } from "./span.ts";

eachDatabase((_name, open) => {
  describe("a consumer of messages", () => {
    test("receives earlier events in order and in pieces, and each only once", async () => {
      await using db = await open();
      await using ctx = node(db);
      await putMessages(ctx, Array(7).fill({}));
      await addChannel(ctx, 3);
      const consumer = consumeMessages(ctx, options({ batch: 3 }));
      await consumer.flush();
      expect((await noted(ctx)).toSorted()).toEqual(["1:0-3", "1:3-6", "1:6-7", "2:0-3"]);
      expect(await numbers(ctx, 1)).toEqual(upTo(7));
      await consumer.flush();
      expect(await numbers(ctx, 1)).toEqual(upTo(7));
      const other = consumeMessages(ctx, options({ purpose: "another" }));
      await other.flush();
      expect((await numbers(ctx, 1)).length).toBe(14);
    });

    test("reads nothing when it has handled all there is", async () => {
      await using db = await open();
      await using ctx = node(db);
      await putMessages(ctx, [{}]);
      await consumeMessages(ctx, options()).flush();
      let handled = 0;
      const handle = async () => void handled++;
      // It hears the same news, and looks for them when the first one has long handled them.
      await consumeMessages(ctx, options({ purpose: "later", everyMs: 300, handle })).flush();
      using queries = spyOn(ctx.db, "selectFrom");
      // It may be about to look when the first news comes.
      for (const news of [2, 3]) {
        await commit(ctx, 1);
        await eventually("the later one has handled the news", () => handled === news);
      }
      expect(queries.mock.calls.length).toBeLessThan(10);
    });

    test("passes many events that are not messages in one step, up to the next message", async () => {
      await using db = await open();
      await using ctx = node(db);
      const rush = () => ctx.db.updateTable("channels").set({ last_seq: 250 }).where("id", "=", 1).execute();
      await putMessages(ctx, Array(2).fill({}));
      await rush();
      await putMessages(ctx, Array(4).fill({}));
      const consumer = consumeMessages(ctx, options({ batch: 3 }));
      await consumer.flush();
      expect(await noted(ctx)).toEqual(["1:0-3", "1:3-250", "1:250-253", "1:253-254"]);
    });

    test("receives what is new in several channels in one call", async () => {
      await using db = await open();
      await using ctx = node(db);
      await putMessages(ctx, [{}, {}]);
      const channels = [1, await addChannel(ctx, 3), await addChannel(ctx, 4)];
      const calls: (readonly Span[])[] = [];
      const handle = async (ctx: AppContext, spans: readonly Span[]) => {
        calls.push(spans);
        await note(ctx, spans);
      };
      consumeMessages(ctx, options({ handle }));
      await eventually("all are handled", async () => (await noted(ctx)).length === 3);
      expect(calls).toEqual([channels.map((channelId, at) => ({ channelId, after: 0, upTo: at + 2 }))]);
    });

    test("notices commits by itself", async () => {
      await using db = await open();
      await using ctx = node(db);
      consumeMessages(ctx, options());
      await commit(ctx, 1);
      await eventually("the first is handled", async () => (await numbers(ctx, 1)).length === 1);
      for (let i = 0; i < 20; i++) await commit(ctx, 1);
      await eventually("all are handled", async () => (await numbers(ctx, 1)).length === 21);
      expect(await numbers(ctx, 1)).toEqual(upTo(21));
    });

    test("handles fewer at a time if they take long, because requests wait for a transaction on SQLite", async () => {
      await using db = await open();
      const clock = stillClock();
      await using ctx = node(db, clock);
      await putMessages(ctx, Array(128).fill({}));
      const handle = async (ctx: AppContext, spans: readonly Span[]) => {
        for (const { after, upTo } of spans) clock.advance((upTo - after) / 10);
        await note(ctx, spans);
      };
      consumeMessages(ctx, options({ batch: 64, handle }));
      await eventually("all are handled", async () => (await numbers(ctx, 1)).length === 128);
      const pieces = isSqlite(ctx.db) ? ["1:0-64", "1:64-96", "1:96-112", "1:112-128"] : ["1:0-64", "1:64-128"];
      expect(await noted(ctx)).toEqual(pieces);
    });

    test("takes no rest for the time that a commit waits for the disk", async () => {
      await using db = await open();
      const clock = clockAhead();
      await using ctx = node(db, clock);
      await putMessages(ctx, Array(8).fill({}));
      const waitAMinute = async () => {
        clock.ahead += 60_000;
      };
      const handle = async (ctx: AppContext, spans: readonly Span[]) => {
        await note(ctx, spans);
        beforeReturn(ctx.db, waitAMinute);
      };
      consumeMessages(ctx, options({ batch: 4, handle }));
      await eventually("all are handled", async () => (await numbers(ctx, 1)).length === 8);
    });

    test("retries a failed span without its partial writes, and delays only that channel", async () => {
      await using db = await open();
      await using ctx = node(db);
      await addChannel(ctx, 5);
      await putMessages(ctx, [{}, {}]);
      let failing = true;
      const consumer = consumeMessages(
        ctx,
        options({
          async handle(ctx, spans) {
            await note(ctx, spans);
            if (failing && spans.some(({ channelId }) => channelId === 1)) throw new Error("no");
          },
        }),
      );
      await expect(consumer.flush()).rejects.toThrow("no");
      expect(await noted(ctx)).toEqual(["2:0-5"]);
      failing = false;
      await eventually("it is tried again", async () => (await numbers(ctx, 1)).length === 2);
      expect(await noted(ctx)).toEqual(["2:0-5", "1:0-2"]);
    });

    test("hands each number over once on two nodes", async () => {
      await using db = await open();
      await using one = node(db);
      await using two = node(db);
      const channels = [1, await addChannel(one, 40), await addChannel(one, 0)];
      const consumers = [one, two].map((ctx) => consumeMessages(ctx, options({ batch: 7 })));
      for (let i = 0; i < 30; i++) {
        await commit(i % 2 === 0 ? one : two, channels[i % 3] ?? 1);
        if (i % 10 === 0) await Promise.all(consumers.map((consumer) => consumer.flush()));
      }
      await Promise.all(consumers.map((consumer) => consumer.flush()));
      expect(await numbers(one, channels[0] ?? 0)).toEqual(upTo(10));
      expect(await numbers(one, channels[1] ?? 0)).toEqual(upTo(50));
      expect(await numbers(one, channels[2] ?? 0)).toEqual(upTo(10));
    });

    test("counts nothing as waiting that another node handled after it failed here", async () => {
      await using db = await open();
      await using one = node(db);
      await putMessages(one, [{}, {}]);
      const failing = async () => {
        throw new Error("no");
      };
      const consumer = consumeMessages(one, options({ handle: failing }));
      await eventually("the span has failed", () => consumer.behind === 2);
      await using two = node(db);
      await consumeMessages(two, options()).flush();
      await eventually("the first node knows", () => consumer.behind === 0);
    });

    test("flushes everything committed before the flush, and concurrent flushes share a run", async () => {
      await using db = await open();
      await using ctx = node(db);
      let runs = 0;
      const consumer = consumeMessages(
        ctx,
        options({
          async handle(ctx, spans) {
            runs++;
            await note(ctx, spans);
          },
        }),
      );
      await commit(ctx, 1);
      const waiting = [consumer.flush(), consumer.flush(), consumer.flush()];
      await Promise.all(waiting);
      expect(runs).toBe(1);
      expect(await numbers(ctx, 1)).toEqual([1]);
      await commit(ctx, 1);
      await consumer.flush();
      expect(await numbers(ctx, 1)).toEqual([1, 2]);
    });

    test("finds news behind a thousand channels that have none", async () => {
      await using db = await open();
      await using ctx = node(db);
      const { id: _, ...channel } = await ctx.db
        .selectFrom("channels")
        .selectAll()
        .orderBy("id")
        .executeTakeFirstOrThrow();
      for (let n = 0; n < 1_000; n += 250) {
        const rows = Array.from({ length: 250 }, (_, at) => ({ ...channel, slug: `quiet-${n + at}` }));
        await ctx.db.insertInto("channels").values(rows).execute();
      }
      const last = await addChannel(ctx, 3);
      await consumeMessages(ctx, options()).flush();
      expect(await noted(ctx)).toEqual([`${last}:0-3`]);
    });

    test("ends with the server: nothing runs and nothing listens afterwards", async () => {
      await using db = await open();
      const ctx = node(db);
      consumeMessages(ctx, options());
      expect(onCommit.of(ctx)).toHaveLength(1);
      await ctx[Symbol.asyncDispose]();
      expect(onCommit.of(ctx)).toHaveLength(0);
      await commit(ctx, 1);
      // Another consumer also receives it, and nothing else happens.
      await using next = node(db);
      await consumeMessages(next, options({ purpose: "next" })).flush();
      expect(await noted(ctx)).toEqual(["1:0-1"]);
    });
  });
});
