import { expect, test } from "bun:test";
import { user } from "../../test/support/actors.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { createChannel } from "../channels/settings/settings.service.ts";
import { transact } from "../db/transact.ts";
import { loadEvents } from "../event-log/events.ts";
import { createPoll } from "./create.service.ts";
import { polls } from "./polls.module.ts";
import { writeVotes } from "./vote.service.ts";

eachDatabase((_, open) => {
  test("a resume takes as many statements for many polls with many votes as for one", async () => {
    await using database = await open();
    let statements = 0;
    const db = database.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        statements += 1;
        return result;
      },
    });
    const ctx = testContext({ ...database, db }, { modules: [polls] });
    const ann = await user(ctx, "ann");
    /** Makes polls of a new channel, votes in turns, and reads the channel's log. */
    const resumed = async (count: number, votes: number) => {
      const { id: channelId } = await createChannel(ctx, ann, { name: `With ${count}` });
      const ids: number[] = [];
      for (let n = 0; n < count; n += 1) {
        const poll = { channel_id: channelId, question: `Poll ${n}?`, options: ["a", "b"] };
        ids.push((await createPoll(ctx, ann, poll, null)).message_id);
      }
      for (let n = 0; n < votes; n += 1)
        for (const pollId of ids) {
          const draft = { pollId, channelId, userId: ann.userId, optionIds: [(n % 2) + 1] };
          await transact(ctx, (ctx) => writeVotes(ctx, [draft]));
        }
      statements = 0;
      const updates = (await loadEvents(ctx, channelId, 0, 1_000)).filter(({ event }) => event === "poll:update");
      return { updates: updates.map(({ frame }) => JSON.parse(frame).data), statements };
    };
    const one = await resumed(1, 1);
    const many = await resumed(5, 6);
    expect([one.updates.length, many.updates.length]).toEqual([1, 30]);
    expect(new Set(many.updates.map(({ poll }) => poll.poll_id)).size).toBe(5);
    expect(many.updates.every(({ poll }) => poll.options[1].count === 1)).toBeTrue();
    expect(one.statements).toBeGreaterThan(0);
    expect(many.statements).toBe(one.statements);
  });
});
