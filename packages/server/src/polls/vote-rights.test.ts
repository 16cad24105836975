import { expect, test } from "bun:test";
import { code, keepCallers, user } from "../../test/support/actors.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { joinUnpaid } from "../../test/support/join.ts";
import { putBan } from "../channels/bans/bans.store.ts";
import { createChannel } from "../channels/settings/settings.service.ts";
import type { AppContext } from "../context.ts";
import type { Db } from "../db/db.ts";
import { actingFor, rightsNow } from "../http/acts/act.ts";
import { storedMessage } from "../messages/message-hooks.ts";
import { createPoll } from "./create.service.ts";
import { pollOf } from "./poll-record.ts";
import { polls } from "./polls.module.ts";
import { vote } from "./vote.service.ts";

/** Rights that end between the check of a vote and the transaction that stores it (protocol §13.7). */
eachDatabase((_name, open) => {
  const start = async () => {
    const database = await open();
    const ctx = testContext(database, { modules: [polls] });
    keepCallers(ctx);
    const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
    const { id } = await createChannel(ctx, ann, { name: "Votes" });
    await joinUnpaid(ctx, bob, { id });
    const poll = { channel_id: id, question: "?", options: ["a", "b"] };
    const { message_id: pollId } = await createPoll(ctx, ann, poll, null);
    /** Votes as Bob. `meanwhile` runs in the transaction, before it is decided again, and once. */
    const voteWhile = (meanwhile: (db: Db) => Promise<unknown>) => {
      const acting = actingFor(ctx, bob, rightsNow(ctx));
      let hasRun = false;
      acting.act?.remember(async ({ db }: AppContext) => {
        if (!hasRun) await meanwhile(db);
        hasRun = true;
      });
      acting.act?.decideAtWrite();
      return vote(acting, bob, pollId, [2]);
    };
    const expectNoVote = async () => {
      expect(await ctx.db.selectFrom("poll_votes").selectAll().execute()).toEqual([]);
      const row = await storedMessage(ctx, pollId);
      expect(row === undefined ? undefined : pollOf(row)).toMatchObject({ total_voters: 0 });
    };
    return { ctx, bob, id, voteWhile, expectNoVote, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
  };

  test("a vote with every right is stored, and what ran meanwhile was in its transaction", async () => {
    await using scene = await start();
    let isInside = false;
    const voted = await scene.voteWhile(async (db) => {
      isInside = db.isTransaction;
    });
    expect([isInside, voted.total_voters]).toEqual([true, 1]);
  });

  test("a ban that is made meanwhile refuses the vote", async () => {
    await using scene = await start();
    const { ctx, bob, id } = scene;
    // As `ban` does: who is banned is no member any more.
    const banned = scene.voteWhile(async (db) => {
      await db.deleteFrom("channel_members").where("channel_id", "=", id).where("user_id", "=", bob.userId).execute();
      await putBan(db, {
        ...{ channel_id: id, member_key: bob.key, user_id: bob.userId, agent_id: null },
        ...{ banned_by: "ann", reason: null, until: null, created_at: ctx.clock.now() },
      });
    });
    await expect(banned).rejects.toEqual(code("banned"));
    await scene.expectNoVote();
  });

  test("a member of a private channel who is removed meanwhile does not vote", async () => {
    await using scene = await start();
    const removed = scene.voteWhile(async (db) => {
      await db.updateTable("channels").set({ is_private: 1 }).where("id", "=", scene.id).execute();
      const place = db.deleteFrom("channel_members").where("channel_id", "=", scene.id);
      await place.where("user_id", "=", scene.bob.userId).execute();
    });
    await expect(removed).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:poll_not_found|channel_not_found)$/),
    });
    await scene.expectNoVote();
  });

  test("a member who is muted meanwhile does not vote", async () => {
    await using scene = await start();
    const muted = scene.voteWhile((db) =>
      db
        .updateTable("channel_members")
        .set({ muted_until: scene.ctx.clock.now() + 60_000 })
        .where("channel_id", "=", scene.id)
        .where("user_id", "=", scene.bob.userId)
        .execute(),
    );
    await expect(muted).rejects.toEqual(code("muted"));
    await scene.expectNoVote();
  });
});
