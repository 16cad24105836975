import { expect, test } from "bun:test";
import type { Poll } from "@parley/protocol/polls";
import fc from "fast-check";
import { code, user } from "../../test/support/actors.ts";
import { testContext } from "../../test/support/context.ts";
import { type BackendName, eachDatabase } from "../../test/support/databases.ts";
import { existingChannel } from "../channels/access/access.ts";
import { createChannel } from "../channels/settings/settings.service.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import type { UserIdentity } from "../http/identity.ts";
import { storedMessage } from "../messages/message-hooks.ts";
import { createPoll } from "./create.service.ts";
import { pollOf } from "./poll-record.ts";
import { polls } from "./polls.module.ts";
import { closePoll } from "./polls.service.ts";
import { vote, writeVotes } from "./vote.service.ts";

const RUNS: Record<BackendName, number> = { sqlite: 30, postgres: 10, pglite: 3 };

eachDatabase((name, open) => {
  async function room(ctx: AppContext, people: number) {
    const ann = await user(ctx, "ann");
    const voters: UserIdentity[] = [ann];
    for (let n = 1; n < people; n++) voters.push(await user(ctx, `voter-${n}`));
    const channel = await existingChannel(ctx, { id: (await createChannel(ctx, ann, { name: "Tea" })).id });
    const ask = async (more: object = {}) =>
      (await createPoll(ctx, ann, { channel_id: channel.id, question: "?", options: ["a", "b", "c"], ...more }, null))
        .message_id;
    return { ann, voters, channel, ask };
  }

  const stored = async (ctx: AppContext, id: number) => {
    const row = await storedMessage(ctx, id);
    const poll = row === undefined ? undefined : pollOf(row);
    if (poll === undefined) throw new Error("There is no poll.");
    return poll;
  };
  const rows = (ctx: AppContext, id: number) =>
    ctx.db.selectFrom("poll_votes").select(["option_id", "user_id"]).where("message_id", "=", id).execute();
  const events = async (ctx: AppContext, id: number) =>
    (await ctx.db.selectFrom("channel_events").select("seq").where("message_id", "=", id).execute()).length;

  /** The sums are those of the rows. */
  async function expectExact(ctx: AppContext, id: number): Promise<void> {
    const poll = await stored(ctx, id);
    const votes = await rows(ctx, id);
    expect(poll.options.map(({ count }) => count)).toEqual(
      [1, 2, 3].map((option) => votes.filter(({ option_id }) => option_id === option).length),
    );
    expect(poll.total_voters).toBe(new Set(votes.map(({ user_id }) => user_id)).size);
  }

  const act = fc.record({
    voter: fc.nat({ max: 3 }),
    chosen: fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
  });

  test("sums equal the stored votes after any votes, changes and withdrawals, in any batches", async () => {
    await using database = await open();
    const ctx = testContext(database, { modules: [polls] });
    const { voters, channel, ask } = await room(ctx, 4);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(act, { minLength: 1, maxLength: 6 }), { maxLength: 4 }), async (batches) => {
        const id = await ask({ multiple: true });
        const held = new Map<number, number[]>();
        for (const acts of batches) {
          const drafts = acts.map(({ voter, chosen }) => {
            const userId = voters[voter]?.userId ?? 0;
            held.set(userId, chosen.toSorted());
            return { pollId: id, channelId: channel.id, userId, optionIds: chosen };
          });
          const before = await events(ctx, id);
          const answers = (await transact(ctx, (ctx) => writeVotes(ctx, drafts))) as Poll[];
          expect(await events(ctx, id)).toBeLessThanOrEqual(before + 1);
          for (const [at, { my_votes }] of answers.entries())
            expect(my_votes).toEqual(held.get(drafts[at]?.userId ?? 0) ?? null);
        }
        await expectExact(ctx, id);
        const votes = await rows(ctx, id);
        for (const [userId, chosen] of held)
          expect(
            votes
              .filter(({ user_id }) => user_id === userId)
              .map(({ option_id }) => option_id)
              .toSorted(),
          ).toEqual(chosen);
      }),
      { numRuns: RUNS[name] },
    );
  });

  test("500 people vote at once and change their minds: sums are exact, and events are few", async () => {
    await using database = await open();
    const ctx = testContext(database, { modules: [polls] });
    const { voters, ask } = await room(ctx, 500);
    const id = await ask();
    const round = (option: (n: number) => number[]) =>
      Promise.all(voters.map((voter, n) => vote(ctx, voter, id, option(n))));
    await round((n) => [(n % 3) + 1]);
    await expectExact(ctx, id);
    expect((await stored(ctx, id)).options.map(({ count }) => count)).toEqual([167, 167, 166]);
    const first = await events(ctx, id);
    await round((n) => (n % 2 === 0 ? [1] : []));
    await expectExact(ctx, id);
    expect((await stored(ctx, id)).options.map(({ count }) => count)).toEqual([250, 0, 0]);
    expect((await stored(ctx, id)).total_voters).toBe(250);
    expect((await stored(ctx, id)).options[0]?.voters).toHaveLength(20);
    for (const told of [first, (await events(ctx, id)) - first]) expect(told).toBeLessThan(50);
    const again = await events(ctx, id);
    await vote(ctx, voters[0] as UserIdentity, id, [1]);
    expect(await events(ctx, id)).toBe(again);
  });

  test("votes that race with the close are counted before it, or refused", async () => {
    await using database = await open();
    const ctx = testContext(database, { modules: [polls] });
    const { ann, voters, ask } = await room(ctx, 30);
    const id = await ask();
    const [closed, ...votes] = await Promise.allSettled([
      closePoll(ctx, ann, id),
      ...voters.map((voter) => vote(ctx, voter, id, [1])),
    ]);
    if (closed?.status === "rejected") throw closed.reason;
    const counted = votes.filter(({ status }) => status === "fulfilled").length;
    for (const each of votes) if (each.status === "rejected") expect(each.reason).toEqual(code("poll_closed"));
    const poll = await stored(ctx, id);
    expect(poll).toMatchObject({ status: "closed", total_voters: counted });
    await expectExact(ctx, id);
    // A vote that passed the first check is decided again in the transaction.
    const late = { pollId: id, channelId: (await storedMessage(ctx, id))?.channel_id ?? 0, userId: ann.userId };
    const answers = await transact(ctx, (ctx) => writeVotes(ctx, [{ ...late, optionIds: [2] }]));
    expect(answers).toEqual([code("poll_closed")]);
  });
});
