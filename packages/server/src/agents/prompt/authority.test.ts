import { describe, expect, test } from "bun:test";
import { agent, user } from "../../../test/support/actors.ts";
import { stillClock } from "../../../test/support/clock.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase } from "../../../test/support/databases.ts";
import { putMessages } from "../../../test/support/put-messages.ts";
import { openDirect } from "../../channels/direct/direct.service.ts";
import { insertMember } from "../../channels/members/members.store.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import type { AgentIdentity, UserIdentity } from "../../http/identity.ts";
import { insertItems } from "../../messages/inbox/inbox-rows.ts";
import { authorityOf, seenBy } from "./authority.ts";

type Role = "owner" | "admin" | "member";

async function join(ctx: AppContext, { userId }: UserIdentity, role: Role, channelId = 1): Promise<void> {
  await insertMember(ctx.db, { channelId, userId, role, joinedAt: ctx.clock.now() });
}

/** Lets each speaker send one message; returns how the reader sees them. */
async function seen(
  ctx: AppContext,
  reader: AgentIdentity,
  speakers: readonly (UserIdentity | AgentIdentity)[],
): Promise<string[]> {
  const ids = await putMessages(
    ctx,
    speakers.map((speaker) =>
      speaker.kind === "user"
        ? { user_id: speaker.userId, sender_name: speaker.username }
        : { sender_type: "agent" as const, agent_id: speaker.agentId, sender_name: "PlatformAgent" },
    ),
  );
  const see = await seenBy(ctx, reader, ids);
  return ids.map((id) => see(id).authority);
}

const own = (ctx: AppContext, { agentId }: AgentIdentity, { userId }: UserIdentity, verified: 0 | 1) =>
  ctx.db
    .updateTable("agents")
    .set({ owner_user_id: userId, owner_verified: verified })
    .where("id", "=", agentId)
    .execute();

eachDatabase((_name, open) => {
  describe("the authority of a speaker", () => {
    test("follows the speaker's account, role and site level", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const [reader, other] = [await agent(ctx, "Reader"), await agent(ctx, "Other")];
      const [ada, ben, cleo, dan, eve] = [
        await user(ctx, "ada"),
        await user(ctx, "ben"),
        await user(ctx, "cleo"),
        await user(ctx, "dan"),
        await user(ctx, "eve"),
      ];
      const [moderator, administrator] = [await user(ctx, "mia", 1), await user(ctx, "adam", 2)];
      await own(ctx, reader, ada, 1);
      await join(ctx, ben, "owner");
      await join(ctx, cleo, "admin");
      await join(ctx, dan, "member");
      await join(ctx, moderator, "member");
      const speakers = [ada, ben, cleo, dan, eve, moderator, administrator, reader, other];
      expect(await seen(ctx, reader, speakers)).toEqual([
        ...["owner", "channel_admin", "channel_admin", "member", "guest", "member", "channel_admin", "self", "agent"],
      ]);
      // The owner of one agent is a guest to another, and an owner who is only a label is none.
      expect(await seen(ctx, other, [ada])).toEqual(["guest"]);
      await own(ctx, other, ada, 0);
      expect(await seen(ctx, other, [ada])).toEqual(["guest"]);
    });

    test("is that of now, not of when the message was written", async () => {
      await using db = await open();
      const clock = stillClock();
      const ctx = testContext(db, { clock });
      const reader = await agent(ctx, "Reader");
      const ann = await user(ctx, "ann");
      await join(ctx, ann, "admin");
      const [id = 0] = await putMessages(ctx, [{ user_id: ann.userId }]);
      const now = async () => (await seenBy(ctx, reader, [id]))(id).authority;
      expect(await now()).toBe("channel_admin");
      await ctx.db.updateTable("channel_members").set({ role: "member" }).execute();
      expect(await now()).toBe("member");
      await ctx.db.deleteFrom("channel_members").execute();
      expect(await now()).toBe("guest");
      await ctx.db.updateTable("users").set({ admin_level: 3 }).execute();
      expect(await now()).toBe("channel_admin");
      await ctx.db
        .updateTable("users")
        .set({ suspended_until: clock.now() + 1_000 })
        .execute();
      expect(await now()).toBe("guest");
      await ctx.db.updateTable("messages").set({ user_id: null }).execute();
      expect(await now()).toBe("guest");
    });

    test("is that of the message's channel, and nobody manages a direct conversation", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const reader = await agent(ctx, "Reader");
      const [ann, adam] = [await user(ctx, "ann"), await user(ctx, "adam", 2)];
      await join(ctx, ann, "owner");
      const { channel } = await openDirect(ctx, ann, "adam");
      const [here = 0, direct = 0, byLevel = 0] = await putMessages(ctx, [
        { user_id: ann.userId },
        { user_id: ann.userId, channel_id: channel.id, seq: 1 },
        { user_id: adam.userId, channel_id: channel.id, seq: 2 },
      ]);
      const see = await seenBy(ctx, reader, [here, direct, byLevel]);
      expect([see(here), see(direct), see(byLevel)]).toEqual([
        { authority: "channel_admin", toYou: false },
        { authority: "member", toYou: true },
        { authority: "member", toYou: true },
      ]);
    });

    test("of a message that no longer exists is that of a guest", async () => {
      await using db = await open();
      const ctx = testContext(db);
      expect((await seenBy(ctx, await agent(ctx, "Reader"), [99]))(99)).toEqual({ authority: "guest", toYou: false });
    });
  });

  test("a message is to the agent if it mentions it or replies to it", async () => {
    await using db = await open();
    const ctx = testContext(db);
    const [reader, other] = [await agent(ctx, "Data Bot"), await agent(ctx, "Other")];
    const mention = (name: string) => JSON.stringify([{ type: "agent", name, offset: 0, length: 1 }]);
    const byAgent = ({ agentId }: AgentIdentity) => ({ sender_type: "agent" as const, agent_id: agentId });
    const [mine = 0, theirs = 0, named = 0, otherName = 0, shared = 0, ofUser = 0] = await putMessages(ctx, [
      { ...byAgent(reader), mentions: mention("Data Bot") },
      byAgent(other),
      { mentions: mention("data bot") },
      { mentions: mention("Other") },
      { mentions: mention("PlatformAgent") },
      { mentions: JSON.stringify([{ type: "user", name: "Data Bot", offset: 0, length: 1 }]) },
    ]);
    const [reply = 0, replyToOther = 0] = await putMessages(ctx, [{ reply_to_id: mine }, { reply_to_id: theirs }]);
    const row = { agent_id: reader.agentId, agent_name: "PlatformAgent", channel_id: 1, message_id: shared };
    await transact(ctx, ({ db }) => insertItems(db, [{ ...row, created_at: 0 }]));
    const ids = [mine, theirs, named, otherName, shared, ofUser, reply, replyToOther];
    const see = await seenBy(ctx, reader, ids);
    expect(ids.map((id) => see(id).toYou)).toEqual([false, false, true, false, true, false, true, false]);
  });
});

test("messages of the system give nobody authority", () => {
  const row = { sender_type: "system" as const, webhook_id: null, user_id: null, agent_id: null, role: null };
  const facts = { agentId: 1, ownerId: null, isDirect: false, now: 0 };
  expect(authorityOf({ ...row, admin_level: null, suspended_until: null }, facts)).toBe("guest");
});
