import { expect, test } from "bun:test";
import { code, user } from "../../test/support/actors.ts";
import { stillClock } from "../../test/support/clock.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { streamPosition } from "../agents/events/stream-position.ts";
import { existingChannel } from "../channels/access/access.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { postMessage } from "../messages/append/post-message.ts";
import type { BrokerMessage } from "../realtime/broker/broker.ts";
import { channelTopic } from "../realtime/topics.ts";
import { spanReaders } from "./event-spans.ts";
import { appendEvent, appendSpan, loadEvents } from "./events.ts";

const GENERAL = 1;
const NAME = "span:test";

eachDatabase((_, open) => {
  /** Words are events of their own; the log stores only where they begin. */
  const WORDS = ["a", "b", "c", "d", "e", "f"];
  const told = (from: number, count: number) =>
    WORDS.slice(from, from + count).map((word) => ({ event: "word", fields: `"word":"${word}"` }));
  const tell = (ctx: AppContext, from: number, count: number) =>
    transact(ctx, (ctx) => appendSpan(ctx, GENERAL, { name: NAME, about: { from } }, told(from, count)));
  const read = (ctx: AppContext) =>
    spanReaders(ctx, {
      name: NAME,
      read: async (_, spans) => spans.map(({ about: { from, count } }) => told(from as number, count as number)),
    });

  async function heardBy(ctx: AppContext, act: () => Promise<void>): Promise<BrokerMessage[]> {
    const heard: BrokerMessage[] = [];
    const stop = ctx.hub.listen(channelTopic(GENERAL), (messages) => heard.push(...messages));
    await stop.ready;
    await act();
    stop();
    return heard;
  }

  test("events of a span are published and read again as if each had a row of its own", async () => {
    await using database = await open();
    const ctx = testContext(database);
    read(ctx);
    const ann = await user(ctx, "ann");
    const channel = await existingChannel(ctx, { id: GENERAL });
    const heard = await heardBy(ctx, async () => {
      await tell(ctx, 0, 3);
      await postMessage(ctx, { caller: ann, channel, content: "between" });
      await tell(ctx, 3, 1);
      await transact(ctx, (ctx) => appendEvent(ctx, GENERAL, "channel:update", { data: { channel: {} } }));
      await tell(ctx, 4, 2);
    });
    expect(heard.map(({ seq, event }) => `${seq} ${event}`)).toEqual([
      "1 word",
      "2 word",
      "3 word",
      "4 message:new",
      "5 word",
      "6 channel:update",
      "7 word",
      "8 word",
    ]);
    expect(await ctx.db.selectFrom("channel_events").select("seq").orderBy("seq").execute()).toHaveLength(4);
    const frames = heard.map(({ frame }) => frame);
    for (let after = 0; after <= 8; after += 1) {
      for (const limit of [1, 2, 3, 5, 100]) {
        const found = await loadEvents(ctx, GENERAL, after, limit);
        expect(found.map(({ frame }) => frame)).toEqual(frames.slice(after, after + limit));
      }
    }
  });

  test("an event within a span has the time of its commit", async () => {
    await using database = await open();
    const clock = stillClock();
    const ctx = testContext(database, { clock });
    const at = async (seq: number) => (await streamPosition(ctx, `${GENERAL}:${seq}`))?.at;
    const times: number[] = [];
    for (const count of [2, 3, 1]) {
      clock.advance(1_000);
      for (let n = 0; n < count; n += 1) times.push(clock.now());
      await tell(ctx, 0, count);
    }
    for (const [index, time] of times.entries()) expect(await at(index + 1)).toBe(time);
    expect(await at(times.length + 1)).toBe(0);
    await ctx.db.deleteFrom("channel_events").where("seq", "=", 5).execute();
    expect(await at(4)).toBe(0);
    expect(await at(6)).toBe(times[5]);
  });

  test("a rollback takes no number", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const failing = transact(ctx, async (ctx) => {
      await appendSpan(ctx, GENERAL, { name: NAME, about: { from: 0 } }, told(0, 2));
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    await tell(ctx, 0, 2);
    read(ctx);
    expect((await loadEvents(ctx, GENERAL, 0, 10)).map(({ seq }) => seq)).toEqual([1, 2]);
    const nowhere = transact(ctx, (ctx) => appendSpan(ctx, 99, { name: NAME, about: {} }, told(0, 1)));
    await expect(nowhere).rejects.toEqual(code("channel_not_found"));
  });

  test("a node of the release before keeps the numbers of events that it cannot read, and goes on", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const ann = await user(ctx, "ann");
    await tell(ctx, 0, 3);
    // A newer node appended an event with a name of its own.
    const row = {
      channel_id: GENERAL,
      seq: 4,
      event: "word:sung",
      message_id: null,
      data: '{"word":"a"}',
      created_at: 1,
    };
    await database.db.insertInto("channel_events").values(row).execute();
    await database.db.updateTable("channels").set({ last_seq: 4 }).where("id", "=", GENERAL).execute();
    await postMessage(ctx, { caller: ann, channel: await existingChannel(ctx, { id: GENERAL }), content: "after" });
    const found = await loadEvents(ctx, GENERAL, 1, 10);
    expect(found.map(({ seq, event }) => `${seq} ${event}`)).toEqual([
      "2 event:unreadable",
      "3 event:unreadable",
      "4 word:sung",
      "5 message:new",
    ]);
    expect(JSON.parse(found[0]?.frame ?? "")).toEqual({
      event: "event:unreadable",
      data: { channel_id: GENERAL, seq: 2 },
    });
    expect(await heardBy(ctx, () => tell(ctx, 3, 1))).toHaveLength(1);
  });
});
