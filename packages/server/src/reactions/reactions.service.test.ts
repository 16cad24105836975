import { expect, test } from "bun:test";
import fc from "fast-check";
import { agent, code, user } from "../../test/support/actors.ts";
import { testContext } from "../../test/support/context.ts";
import { type BackendName, eachDatabase } from "../../test/support/databases.ts";
import { existingChannel } from "../channels/access/access.ts";
import { createChannel } from "../channels/settings/settings.service.ts";
import type { AppContext } from "../context.ts";
import { countsOf, type ReactionCount } from "../event-log/reaction-counts.ts";
import type { AgentIdentity, UserIdentity } from "../http/identity.ts";
import { postMessage } from "../messages/append/post-message.ts";
import { deleteMessage } from "../messages/messages.service.ts";
import { reactions } from "./reactions.module.ts";
import { addReaction, removeReaction } from "./reactions.service.ts";

const RUNS: Record<BackendName, number> = { sqlite: 40, postgres: 15, pglite: 4 };

eachDatabase((name, open) => {
  async function room(ctx: AppContext) {
    const ann = await user(ctx, "ann");
    const actors: (UserIdentity | AgentIdentity)[] = [
      ann,
      await user(ctx, "bob"),
      await user(ctx, "cid"),
      await agent(ctx, "Helper"),
    ];
    const channel = await existingChannel(ctx, { id: (await createChannel(ctx, ann, { name: "Tea" })).id });
    const say = async () => (await postMessage(ctx, { caller: ann, channel, content: "hello" })).id;
    return { ann, actors, channel, say };
  }

  const stored = async (ctx: AppContext, messageId: number): Promise<ReactionCount[]> => {
    const { reactions } = await ctx.db
      .selectFrom("messages")
      .select("reactions")
      .where("id", "=", messageId)
      .executeTakeFirstOrThrow();
    return countsOf(reactions);
  };

  const counted = async (ctx: AppContext, messageId: number): Promise<Record<string, number>> => {
    const rows = await ctx.db
      .selectFrom("reactions")
      .select(["reaction", (eb) => eb.fn.countAll<number>().as("n")])
      .where("message_id", "=", messageId)
      .groupBy("reaction")
      .execute();
    return Object.fromEntries(rows.map(({ reaction, n }) => [reaction, Number(n)]));
  };

  const asCounts = (counts: readonly ReactionCount[]): Record<string, number> =>
    Object.fromEntries(counts.map(({ reaction, count }) => [reaction, count]));

  const act = fc.record({
    actor: fc.nat({ max: 3 }),
    reaction: fc.constantFrom("like", "❤️", "❤", "👍🏽"),
    added: fc.boolean(),
  });

  test("reaction counts equal the stored rows after any additions and removals, concurrent or not", async () => {
    await using database = await open();
    const ctx = testContext(database, { modules: [reactions] });
    const { actors, channel, say } = await room(ctx);
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 12 }), fc.boolean(), async (acts, atOnce) => {
        const messageId = await say();
        const events = async () =>
          (await ctx.db.selectFrom("channel_events").select("seq").where("message_id", "=", messageId).execute())
            .length;
        const run = async ({ actor, reaction, added }: (typeof acts)[number]) => {
          const who = actors[actor];
          if (who === undefined) throw new Error("There is no such actor.");
          return (added ? addReaction : removeReaction)(ctx, who, messageId, reaction);
        };
        if (atOnce) await Promise.all(acts.map(run));
        else for (const each of acts) await run(each);
        expect(asCounts(await stored(ctx, messageId))).toEqual(await counted(ctx, messageId));
        if (atOnce) return;
        const given = new Set<string>();
        let changes = 0;
        for (const { actor, reaction, added } of acts) {
          const key = `${actor} ${reaction === "❤" ? "❤️" : reaction}`;
          if (given.has(key) !== added) changes++;
          if (added) given.add(key);
          else given.delete(key);
        }
        expect(given.size).toBe(Object.values(await counted(ctx, messageId)).reduce((sum, n) => sum + n, 0));
        expect(await events()).toBe(changes);
      }),
      { numRuns: RUNS[name] },
    );
    const { last_seq } = await ctx.db
      .selectFrom("channels")
      .select("last_seq")
      .where("id", "=", channel.id)
      .executeTakeFirstOrThrow();
    const seqs = [
      ...(await ctx.db.selectFrom("channel_events").select("seq").where("channel_id", "=", channel.id).execute()),
      ...(await ctx.db.selectFrom("messages").select("seq").where("channel_id", "=", channel.id).execute()),
    ].map(({ seq }) => seq);
    expect(seqs.sort((a, b) => a - b)).toEqual(Array.from({ length: last_seq }, (_, n) => n + 1));
  });

  test("a concurrent deletion leaves a tombstone without reactions, in rows and counts", async () => {
    await using database = await open();
    const ctx = testContext(database, { modules: [reactions] });
    const { ann, actors, say } = await room(ctx);
    for (let n = 0; n < 5; n++) {
      const messageId = await say();
      const outcomes = await Promise.allSettled([
        ...actors.map((actor) => addReaction(ctx, actor, messageId, "like")),
        deleteMessage(ctx, ann, messageId),
      ]);
      for (const outcome of outcomes)
        if (outcome.status === "rejected") expect(outcome.reason).toEqual(code("message_deleted"));
      expect(await stored(ctx, messageId)).toEqual([]);
      expect(await counted(ctx, messageId)).toEqual({});
    }
  });
});
