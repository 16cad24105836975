import { describe, expect, test } from "bun:test";
import { type StillClock, stillClock } from "../../test/support/clock.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { eventually } from "../../test/support/servers/test-server.ts";
import { channelsOfAgent, watchAgentChannels } from "../channels/members/agents-online.ts";
import { dismissAgents } from "../channels/members/removal.ts";
import type { AppContext } from "../context.ts";
import type { OpenDatabase } from "../db/database.ts";
import { transact } from "../db/transact.ts";
import { noteMessage } from "../messages/loop-guard/loop-guard.ts";
import { platformAgentRecipients } from "../messages/mentions/platform-agent.ts";
import { publishControl } from "../realtime/control/control.ts";
import { followAgents, loginAgent, logoutAgent, restoreAgentPresence, sweepAgentPresence } from "./agent-presence.ts";
import { readStay } from "./agent-stays.ts";
import { authenticateKey, issueKey, revokeKey } from "./keys/keys.ts";

const names = (ctx: AppContext, channelId: number) => ctx.presence.list(channelId, 10).map(({ name }) => name);

/** Waits until background work after the announcements has reached that state. */
const until = (holds: () => boolean | Promise<boolean>) => eventually("it comes to that", holds, 20_000);

async function secondChannel({ db }: OpenDatabase): Promise<number> {
  const { id: _, ...general } = await db.selectFrom("channels").selectAll().executeTakeFirstOrThrow();
  const row = await db
    .insertInto("channels")
    .values({ ...general, slug: "second" })
    .returning("id")
    .executeTakeFirstOrThrow();
  return row.id;
}

eachDatabase((_name, open) => {
  describe("agent presence", () => {
    async function setup(db: OpenDatabase, clock: StillClock = stillClock(), idleMinutes = 60) {
      const ctx = testContext(db, { clock, config: { agentIdleMinutes: idleMinutes } });
      followAgents(ctx);
      await restoreAgentPresence(ctx);
      const key = await issueKey(ctx, { agentName: "Helper" });
      const general = (await db.db.selectFrom("channels").select("id").executeTakeFirstOrThrow()).id;
      return { ctx, clock, key, agentId: key.agent_id, general };
    }

    test("logging in twice lists the agent once, and logging out reports whether it was listed", async () => {
      await using db = await open();
      const { ctx, agentId, general } = await setup(db);
      let changes = 0;
      const unwatch = watchAgentChannels(ctx, agentId, () => changes++);
      await loginAgent(ctx, agentId, general, "Helper");
      await loginAgent(ctx, agentId, general, "Helper");
      expect(names(ctx, general)).toEqual(["Helper"]);
      expect(channelsOfAgent(ctx, agentId)).toEqual([general]);
      expect(changes).toBe(1);
      expect(await logoutAgent(ctx, agentId)).toBe(true);
      expect(await logoutAgent(ctx, agentId)).toBe(false);
      expect(names(ctx, general)).toEqual([]);
      expect(changes).toBe(2);
      unwatch();
    });

    test("logout can be limited to a channel and a name", async () => {
      await using db = await open();
      const { ctx, agentId, general } = await setup(db);
      const second = await secondChannel(db);
      for (const channel of [general, second]) {
        await loginAgent(ctx, agentId, channel, "Helper");
        await loginAgent(ctx, agentId, channel, "PlatformAgent");
      }
      expect(await logoutAgent(ctx, agentId, { channelId: general, nameKey: "helper" })).toBe(true);
      expect(names(ctx, general)).toEqual(["PlatformAgent"]);
      expect(await logoutAgent(ctx, agentId, { nameKey: "platformagent" })).toBe(true);
      expect([names(ctx, general), names(ctx, second)]).toEqual([[], ["Helper"]]);
      expect(await logoutAgent(ctx, agentId, { channelId: general })).toBe(false);
    });

    test("a new server lists logged-in agents in the old order, except those without a key or in a deleted channel", async () => {
      await using db = await open();
      const clock = stillClock();
      const { ctx, agentId, general } = await setup(db, clock);
      const second = await secondChannel(db);
      const gone = await issueKey(ctx, { agentName: "Gone" });
      await loginAgent(ctx, agentId, general, "Helper");
      clock.advance(1_000);
      await loginAgent(ctx, agentId, general, "Second Name");
      await loginAgent(ctx, gone.agent_id, general, "Gone");
      await loginAgent(ctx, agentId, second, "Helper");
      await revokeKey(ctx, gone.key_id);
      await db.db.updateTable("channels").set({ deleted_at: 1 }).where("id", "=", second).execute();
      const next = testContext(db, { clock });
      followAgents(next);
      await restoreAgentPresence(next);
      expect(names(next, general)).toEqual(["Helper", "Second Name"]);
      expect(names(next, second)).toEqual([]);
    });

    test("a login expires when the key has not been used for the configured time, and not earlier", async () => {
      await using db = await open();
      const { ctx, clock, key, agentId, general } = await setup(db);
      await authenticateKey(ctx, `Bearer ${key.api_key}`);
      await loginAgent(ctx, agentId, general, "Helper");
      clock.advance(59 * 60_000);
      await sweepAgentPresence(ctx);
      expect(names(ctx, general)).toEqual(["Helper"]);
      // Any call counts, not only those to this channel.
      await authenticateKey(ctx, `Bearer ${key.api_key}`);
      clock.advance(59 * 60_000);
      await sweepAgentPresence(ctx);
      expect(names(ctx, general)).toEqual(["Helper"]);
      clock.advance(60_000);
      await sweepAgentPresence(ctx);
      expect(names(ctx, general)).toEqual([]);
      expect(await db.db.selectFrom("agent_presence").selectAll().execute()).toEqual([]);
    });

    test("a login never expires if the time is 0 minutes", async () => {
      await using db = await open();
      const { ctx, clock, agentId, general } = await setup(db, stillClock(), 0);
      await loginAgent(ctx, agentId, general, "Helper");
      clock.advance(1_000 * 24 * 60 * 60_000);
      await sweepAgentPresence(ctx);
      expect(names(ctx, general)).toEqual(["Helper"]);
    });

    test("a revoked key removes its agent from the lists unless another valid key holds it there", async () => {
      await using db = await open();
      const { ctx, key, agentId, general } = await setup(db);
      await loginAgent(ctx, agentId, general, "Helper");
      const spare = {
        ...(await db.db.selectFrom("api_keys").selectAll().executeTakeFirstOrThrow()),
        id: "000000000000",
      };
      await db.db.insertInto("api_keys").values(spare).execute();
      const other = await issueKey(ctx, { agentName: "Other" });
      await loginAgent(ctx, other.agent_id, general, "Other");
      for (const { key_id } of [key, other]) {
        await revokeKey(ctx, key_id);
        publishControl(ctx, "key_revoked", key_id);
      }
      // The other agent called later.
      await until(() => !names(ctx, general).includes("Other"));
      await sweepAgentPresence(ctx);
      expect(names(ctx, general)).toEqual(["Helper"]);
      await revokeKey(ctx, spare.id);
      publishControl(ctx, "key_revoked", spare.id);
      await until(() => names(ctx, general).length === 0);
      await until(async () => (await db.db.selectFrom("agent_presence").selectAll().execute()).length === 0);
    });

    test("an agent that loses access to a channel is removed from that list only", async () => {
      await using db = await open();
      const { ctx, agentId, general } = await setup(db);
      const second = await secondChannel(db);
      await loginAgent(ctx, agentId, general, "Helper");
      await loginAgent(ctx, agentId, second, "Helper");
      publishControl(ctx, "access_ended", { channelId: general, member: `u${agentId}` });
      await transact(ctx, (ctx) => dismissAgents(ctx, second, "kicked"));
      // At once: its streams must not receive what is published next, and a new login must not end with the old one.
      expect([names(ctx, second), channelsOfAgent(ctx, agentId)]).toEqual([[], [general]]);
      expect(await db.db.selectFrom("agent_presence").select("channel_id").execute()).toEqual([
        { channel_id: general },
      ]);
      expect(names(ctx, general)).toEqual(["Helper"]);
    });

    test("a login while the stay is read again is not undone", async () => {
      await using db = await open();
      const { ctx, agentId, general } = await setup(db);
      for (let n = 0; n < 20; n += 1) {
        const reading = readStay(ctx, general, agentId);
        await loginAgent(ctx, agentId, general, "Helper");
        await reading;
        expect(names(ctx, general)).toEqual(["Helper"]);
        await logoutAgent(ctx, agentId);
      }
    });

    test("a start after a long pause does not take agents off the list before they could return", async () => {
      await using db = await open();
      const { clock, agentId, general, ctx } = await setup(db);
      await loginAgent(ctx, agentId, general, "Helper");
      const held = { held_at: clock.now() - 600_000, last_seen_at: clock.now() - 600_000 };
      await db.db.updateTable("agents").set(held).where("id", "=", agentId).execute();
      const restarted = testContext(db, { clock });
      await restoreAgentPresence(restarted);
      expect(names(restarted, general)).toEqual(["Helper"]);
      await sweepAgentPresence(restarted);
      expect(names(restarted, general)).toEqual([]);
    });

    test("a sweep applies changes that another node wrote", async () => {
      await using db = await open();
      const { ctx, agentId, general } = await setup(db);
      const other = testContext(db, { clock: ctx.clock });
      await loginAgent(other, agentId, general, "Helper");
      expect(names(ctx, general)).toEqual([]);
      await sweepAgentPresence(ctx);
      expect(names(ctx, general)).toEqual(["Helper"]);
      await logoutAgent(other, agentId);
      await sweepAgentPresence(ctx);
      expect(names(ctx, general)).toEqual([]);
    });
  });

  describe("@PlatformAgent", () => {
    test("means the agents logged in under that name, or else the last one that spoke under it", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const general = (await db.db.selectFrom("channels").select("id").executeTakeFirstOrThrow()).id;
      const [one, two] = [(await issueKey(ctx, {})).agent_id, (await issueKey(ctx, {})).agent_id];
      expect(await platformAgentRecipients(ctx, general)).toEqual([]);
      noteMessage(ctx, general, { kind: "agent", id: one, name: "Helper" });
      expect(platformAgentRecipients(ctx, general)).toEqual([]);
      noteMessage(ctx, general, { kind: "agent", id: one, name: "PlatformAgent" });
      noteMessage(ctx, general, { kind: "user", id: two, name: "PlatformAgent" });
      expect(platformAgentRecipients(ctx, general)).toEqual([one]);
      await loginAgent(ctx, two, general, "Helper Two");
      expect(platformAgentRecipients(ctx, general)).toEqual([one]);
      await loginAgent(ctx, two, general, "PlatformAgent");
      expect(platformAgentRecipients(ctx, general)).toEqual([two]);
      await logoutAgent(ctx, two);
      expect(platformAgentRecipients(ctx, general)).toEqual([one]);
    });
  });
});
