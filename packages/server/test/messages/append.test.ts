import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Clock, systemClock } from "../../src/clock.ts";
import type { AppContext } from "../../src/context.ts";
import { appendQueue } from "../../src/messages/append/append.ts";
import type { Appended, Draft } from "../../src/messages/append/draft.ts";
import { NOBODY } from "../../src/messages/mentions/resolve-mentions.ts";
import { code } from "../support/actors.ts";
import { stillClock } from "../support/clock.ts";
import { testContext } from "../support/context.ts";
import { eachDatabase } from "../support/databases.ts";
import { draftOf, emptyChannels } from "../support/drafts.ts";

/** A clock whose wall time goes back and forth. */
const jumpingClock = (): Clock => {
  let calls = 0;
  return { ...systemClock, now: () => 1_000_000 + ((++calls * 7) % 5) * 1_000 };
};

const send = (ctx: AppContext, drafts: readonly Draft[]) =>
  Promise.allSettled(drafts.map((draft) => appendQueue(ctx).add(draft)));

/** Returns what was stored in a channel, in order, after checking its numbers and times. */
async function stored(ctx: AppContext, channelId: number): Promise<{ id: number; content: string }[]> {
  const rows = await ctx.db
    .selectFrom("messages")
    .selectAll()
    .where("channel_id", "=", channelId)
    .orderBy("seq")
    .execute();
  const channel = await ctx.db
    .selectFrom("channels")
    .select(["last_seq", "last_message_at"])
    .where("id", "=", channelId)
    .executeTakeFirstOrThrow();
  expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, at) => at + 1));
  expect(channel.last_seq).toBe(rows.length);
  const ids = rows.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  const times = rows.map(({ created_at }) => created_at);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  if (rows.length > 0) expect(channel.last_message_at).toBe(times.at(-1) ?? 0);
  return rows.map(({ id, content }) => ({ id, content }));
}

const agents = (...ids: number[]) => ({
  mentions: [],
  users: [],
  agents: ids.map((agentId) => ({ agentId, agentName: `agent "${agentId}"`, kind: "mention" as const })),
});

const TEXTS = [
  "plain",
  "",
  "NULL",
  "null",
  '"quoted"',
  "back\\slash\\",
  "{a,b}",
  "👩🏽‍🚀 é \u{10FFFF}",
  "line\nbreak\t",
  "' ; --",
];

eachDatabase((_, open) => {
  test("a batch of several channels is numbered by channel, and refused for those that are gone", async () => {
    await using database = await open(jumpingClock());
    const ctx = testContext(database, { clock: jumpingClock() });
    const [one = 0, two = 0, gone = 0] = await emptyChannels(ctx, 3, 1);
    const unknown = gone + 1_000;
    const channels = [two, gone, one, two, unknown, one, two];
    const results = await send(
      ctx,
      channels.map((id, at) => draftOf(id, String(at))),
    );
    results.forEach((result, at) => {
      const isGone = at === 1 || at === 4;
      expect(result.status === "rejected" ? result.reason : null).toEqual(isGone ? code("channel_not_found") : null);
    });
    expect((await stored(ctx, one)).map(({ content }) => content)).toEqual(["2", "5"]);
    expect((await stored(ctx, two)).map(({ content }) => content)).toEqual(["0", "3", "6"]);
  });

  test("any text is stored as it is, in every column", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const [channel = 0] = await emptyChannels(ctx, 1);
    const fields = (text: string, at: number): Partial<Draft> => ({
      sender_name: text,
      client_msg_id: text,
      client_key: `u1:${at}:${text}`,
      mentions: JSON.stringify([text]),
      sticker: JSON.stringify({ title: text }),
      sticker_id: at,
      reply_to_id: at,
    });
    const results = await send(
      ctx,
      TEXTS.map((text, at) => ({ ...draftOf(channel, text), ...(at % 2 === 0 ? {} : fields(text, at)) })),
    );
    const rows = await ctx.db.selectFrom("messages").selectAll().orderBy("seq").execute();
    expect(rows.map(({ content }) => content)).toEqual(TEXTS);
    results.forEach((result, at) => {
      if (result.status === "rejected") throw result.reason;
      expect(rows[at]).toEqual(result.value.row);
      if (at % 2 === 1) expect(rows[at]).toMatchObject(fields(TEXTS[at] ?? "", at));
    });
  });

  test("a call of everybody that was not counted is refused, alone", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const [channel = 0] = await emptyChannels(ctx, 1);
    const calling = (isCounted: boolean) => ({ mentioned: { ...NOBODY, callsHere: { isCounted } } });
    const drafts = [true, false].map((isCounted) => draftOf(channel, `@here ${isCounted}`, calling(isCounted)));
    const results = await send(ctx, [...drafts, draftOf(channel, "hello")]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect((await stored(ctx, channel)).map(({ content }) => content)).toEqual(["@here true", "hello"]);
  });

  test("one row that the database refuses fails alone", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const [one = 0, two = 0] = await emptyChannels(ctx, 2);
    const bad = draftOf(one, "bad", { type: "nonsense" as "text" });
    const results = await send(ctx, [draftOf(one, "a"), draftOf(two, "b"), bad, draftOf(one, "c")]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    expect((await stored(ctx, one)).map(({ content }) => content)).toEqual(["a", "c"]);
    expect((await stored(ctx, two)).map(({ content }) => content)).toEqual(["b"]);
  });

  test("a refused message takes no number and does not make its channel look newer", async () => {
    await using database = await open();
    const clock = stillClock();
    const ctx = testContext(database, { clock });
    const [one = 0, two = 0] = await emptyChannels(ctx, 2);
    clock.advance(60_000);
    const late = (channel: number) => draftOf(channel, "late", { thread_root_id: 4_711 });
    const results = await send(ctx, [draftOf(one, "a"), late(one), draftOf(one, "b"), late(two)]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected"]);
    expect((await stored(ctx, one)).map(({ content }) => content)).toEqual(["a", "b"]);
    const { last_seq, last_message_at } = await ctx.db
      .selectFrom("channels")
      .select(["last_seq", "last_message_at"])
      .where("id", "=", two)
      .executeTakeFirstOrThrow();
    expect({ last_seq, last_message_at }).toEqual({ last_seq: 0, last_message_at: clock.now() - 60_000 });
  });

  test("pending mentions are stored with their messages", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const [one = 0, two = 0, gone = 0] = await emptyChannels(ctx, 3, 1);
    const drafts = [
      draftOf(one, "none"),
      draftOf(two, "first", { mentioned: agents(7, 8) }),
      draftOf(gone, "lost", { mentioned: agents(7) }),
      draftOf(one, "second", { mentioned: agents(8) }),
    ];
    await send(ctx, drafts);
    const rows = await ctx.db
      .selectFrom("mentions")
      .innerJoin("messages", "messages.id", "mentions.message_id")
      .select(["mentions.agent_id", "agent_name", "mentions.channel_id", "content", "removed_at"])
      .whereRef("mentions.created_at", "=", "messages.created_at")
      .orderBy("content")
      .orderBy("mentions.id")
      .execute();
    const of = (agentId: number, channelId: number, content: string) =>
      expect.objectContaining({ agent_id: agentId, agent_name: `agent "${agentId}"`, channel_id: channelId, content });
    expect(rows).toEqual([of(7, two, "first"), of(8, two, "first"), of(8, one, "second")]);
  });

  test("a full batch of long messages is stored in order", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const channels = await emptyChannels(ctx, 7);
    const drafts = Array.from({ length: 600 }, (_, at) => draftOf(channels[at % 7] ?? 0, `${at} ${"ü".repeat(5_000)}`));
    const results = await send(ctx, drafts);
    expect(results.every(({ status }) => status === "fulfilled")).toBe(true);
    for (const channel of channels) {
      const sent = drafts.filter(({ channel_id }) => channel_id === channel).map(({ content }) => content);
      expect((await stored(ctx, channel)).map(({ content }) => content)).toEqual(sent);
    }
  });

  const arrivals = fc.array(
    fc.record({
      channel: fc.nat({ max: 5 }),
      key: fc.option(fc.constantFrom("a", "b", "c", "d"), { freq: 2 }),
      text: fc.constantFrom(...TEXTS),
      mentioned: fc.constantFrom<number[]>([], [], [7], [7, 8]),
      isBad: fc.nat({ max: 15 }).map((n) => n === 0),
      /** True to let the queue run before the next one. */
      pauses: fc.nat({ max: 5 }).map((n) => n === 0),
    }),
    { minLength: 1, maxLength: 30 },
  );

  test("every message is stored once, numbered without gaps, in the order of its channel (property)", async () => {
    await using database = await open();
    const ctx = testContext(database, { clock: jumpingClock() });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(arrivals, async (script) => {
        await ctx.db.deleteFrom("messages").execute();
        await ctx.db.deleteFrom("mentions").execute();
        await ctx.db.deleteFrom("channels").execute();
        const channels = await emptyChannels(ctx, 6, 2);
        run += 1;
        const drafts = script.map(({ channel, key, text, mentioned, isBad }, at) =>
          draftOf(channels[channel] ?? 0, key === null ? `${text}${at}` : text, {
            client_key: key === null ? null : `u1:${run}${key}`,
            mentioned: agents(...mentioned),
            ...(isBad ? { type: "nonsense" as "text" } : {}),
          }),
        );
        const adding: Promise<Appended>[] = [];
        for (const [at, draft] of drafts.entries()) {
          const answer = appendQueue(ctx).add(draft);
          answer.catch(() => {});
          adding.push(answer);
          if (script[at]?.pauses) await new Promise(setImmediate);
        }
        await checkAnswers(ctx, channels, drafts, await Promise.allSettled(adding));
      }),
      { numRuns: 25 },
    );
  });
});

async function checkAnswers(
  ctx: AppContext,
  channels: readonly number[],
  drafts: readonly Draft[],
  results: readonly PromiseSettledResult<Appended>[],
): Promise<void> {
  const written = new Map<number, Draft[]>(channels.map((id) => [id, []]));
  const ids = new Map<string, number>();
  const pending: { message_id: number; agent_id: number }[] = [];
  results.forEach((result, at) => {
    const draft = drafts[at];
    if (draft === undefined || result.status === "rejected") return;
    const { row, deduplicated } = result.value;
    expect([row.content, row.channel_id]).toEqual([draft.content, draft.channel_id]);
    if (deduplicated) return;
    written.get(draft.channel_id)?.push(draft);
    if (draft.client_key !== null) {
      expect(ids.has(draft.client_key)).toBe(false);
      ids.set(draft.client_key, row.id);
    }
    for (const { agentId } of draft.mentioned.agents) pending.push({ message_id: row.id, agent_id: agentId });
  });
  results.forEach((result, at) => {
    const draft = drafts[at];
    if (draft === undefined) return;
    if (result.status === "fulfilled") {
      if (result.value.deduplicated) expect(result.value.row.id).toBe(ids.get(draft.client_key ?? "") ?? 0);
    } else if (draft.type === "text" && channels.indexOf(draft.channel_id) < 4) {
      // Of a living channel, only a key that is used otherwise is refused: a bad twin in the batch also counts.
      expect(draft.client_key).not.toBeNull();
    }
  });
  for (const channel of channels) {
    const contents = (await stored(ctx, channel)).map(({ content }) => content);
    expect(contents).toEqual((written.get(channel) ?? []).map(({ content }) => content));
  }
  const mentions = await ctx.db.selectFrom("mentions").select(["message_id", "agent_id"]).execute();
  const key = ({ message_id, agent_id }: { message_id: number; agent_id: number }) => `${message_id} ${agent_id}`;
  expect(mentions.map(key).sort()).toEqual(pending.map(key).sort());
}
