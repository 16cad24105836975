import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { PushPayload } from "@parley/protocol/notifications";
import { Check } from "typebox/schema";
import { notify } from "../../src/accounts/notices.ts";
import { transact } from "../../src/db/transact.ts";
import { sweepNotifications } from "../../src/notifications/list/trim.ts";
import { sweepPackets } from "../../src/red-packets/close/sweep.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { EGRESS, PushScene, SUBSCRIPTIONS } from "../support/push-scene.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import type { Named } from "../support/servers/test-server.ts";
import { type Client, logIn, PASSWORD, startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

const LIST = "/api/notifications";

/** Notices: what others or the server did that concerns a user (protocol §13.5). */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const server = await forAllTests(
    startTestServer({ ...EGRESS, initialPoints: 100 }, { database: await open(), clock }),
  );
  const scene = new PushScene(server, clock);
  const moderator = await staff(server, "mona", 2);
  beforeEach(() => scene.newService());
  afterEach(() => scene.service[Symbol.dispose]());

  /** Returns the user's notices, newest first. */
  const notices = async (who: Client) => {
    const { status, body } = await who.get(LIST);
    expect(status).toBe(200);
    const all = body.notifications as { kind: string; notice?: { code: string } }[];
    return all.filter(({ kind }) => kind === "notice");
  };
  const codes = async (who: Client) => (await notices(who)).map(({ notice }) => notice?.code);
  const idOf = async ({ username }: Named) =>
    (await server.ctx.db.selectFrom("users").select("id").where("username", "=", username).executeTakeFirstOrThrow())
      .id;

  describe("tells a user", () => {
    test("of a new role, a mute, a removal and a ban, with the channel, but not of their own acts", async () => {
      const [ann, bob] = [await scene.fresh(), await scene.fresh()];
      const channel = await scene.newChannel(ann, bob);
      const member = `/api/channels/${channel}/members/${bob.username}`;
      const until = new Date(clock.now() + 3_600_000).toISOString();
      await ann.put(member, { role: "admin" });
      await ann.put(member, { role: "member", muted_until: until });
      await ann.delete(member);
      expect(await notices(bob)).toMatchObject([
        { channel_id: channel, message_id: null, from: null, text: null, notice: { code: "removed", detail: null } },
        { notice: { code: "muted", detail: until } },
        { notice: { code: "role_changed", detail: "member" } },
        { notice: { code: "role_changed", detail: "admin", subject: expect.stringMatching(/^Room /) } },
      ]);
      await bob.post(`/api/channels/${channel}/join`);
      const ban = await ann.post(`/api/channels/${channel}/bans`, { username: bob.username });
      expect(ban.status).toBe(201);
      expect((await notices(bob))[0]).toMatchObject({ notice: { code: "banned", detail: null } });
      expect(await codes(ann)).toEqual([]);
    });

    test("of a channel that they own by now, that staff deleted, and restored", async () => {
      const [ann, bob] = [await scene.fresh(), await scene.fresh()];
      const channel = await scene.newChannel(ann, bob);
      await ann.put(`/api/channels/${channel}`, { owner_username: bob.username });
      expect(await notices(bob)).toMatchObject([{ notice: { code: "role_changed", detail: "owner" } }]);
      await moderator.delete(`/api/channels/${channel}`);
      await moderator.post(`/api/admin/channels/${channel}/restore`);
      for (const who of [ann, bob]) {
        expect((await codes(who)).slice(0, 2)).toEqual(["channel_restored", "channel_deleted"]);
      }
      await bob.delete(`/api/channels/${channel}`);
      expect(await codes(ann)).toEqual(["channel_restored", "channel_deleted"]);
    });

    test("of staff that a message was reported, once and without names, but neither its author nor the reporter", async () => {
      const { ann, bob, channel } = await scene.people();
      const [mod, author] = [await staff(server, "helper", 1), await staff(server, "rude", 1)];
      const [agent, owner] = [await server.agent("Reported"), await staff(server, "owner_of_agent", 1)];
      await server.ctx.db
        .updateTable("agents")
        .set({ owner_user_id: await idOf(owner), owner_verified: 1 })
        .where("id", "=", agent.agentId)
        .execute();
      await author.post(`/api/channels/${channel}/join`);
      const said = await scene.say(author, channel, "rude");
      for (const reporter of [ann, bob, mod]) {
        const { status } = await reporter.post(`/api/messages/${said}/report`, { reason: "ruder" });
        expect(status).toBe(201);
      }
      const told = [
        {
          channel_id: null,
          message_id: said,
          from: null,
          notice: { code: "message_reported", subject: null, detail: null },
        },
      ];
      expect(await notices(mod)).toMatchObject(told);
      expect(await notices(owner)).toMatchObject(told);
      expect(JSON.stringify(await notices(mod))).not.toContain("ruder");
      for (const untold of [ann, bob, author]) expect(await codes(untold)).toEqual([]);

      const { channel_slug } = (await ann.get(`/api/channels/${channel}`)).body.channel;
      const ofAgent = (await agent.post("/api/agenthub/send", { channel_slug, message: "worse" })).body.message_id;
      await ann.post(`/api/messages/${ofAgent}/report`, { reason: "worse" });
      expect(await codes(mod)).toEqual(["message_reported", "message_reported"]);
      expect(await codes(owner)).toEqual(["message_reported"]);
      await server.ctx.db
        .updateTable("users")
        .set({ admin_level: null })
        .where("username", "in", ["helper", "rude", "owner_of_agent"])
        .execute();
    });

    test("how their report was decided", async () => {
      const { ann, bob, channel } = await scene.people();
      const said = await scene.say(bob, channel, "rude");
      const { report_id } = (await ann.post(`/api/messages/${said}/report`, { reason: "rude" })).body;
      await moderator.put(`/api/admin/reports/${report_id}`, { status: "resolved", note: "warned" });
      expect(await notices(ann)).toMatchObject([
        { channel_id: channel, message_id: said, notice: { code: "report_decided", detail: "resolved" } },
      ]);
      expect(JSON.stringify(await notices(ann))).not.toContain("warned");
      expect(await codes(bob)).toEqual([]);
    });

    test("of a red packet that came back, unless they cancelled it", async () => {
      const [ann] = [await scene.fresh()];
      const channel_id = await scene.newChannel(ann);
      const body = { channel_id, total_amount: "10", count: 2, expires_in_seconds: 60 };
      const cancelled = (await ann.post("/api/red-packets", body)).body.red_packet;
      await ann.post(`/api/red-packets/${cancelled.packet_id}/cancel`);
      expect(await codes(ann)).toEqual([]);
      const { red_packet } = (await ann.post("/api/red-packets", body)).body;
      clock.ahead += 24 * 3_600_000;
      await sweepPackets(server.ctx);
      expect(await notices(ann)).toMatchObject([
        { message_id: red_packet.message_id, notice: { code: "packet_refunded", detail: "10 points" } },
      ]);
    });

    test("of what staff did with their agent", async () => {
      const ann = await scene.fresh();
      const agent_name = "Scout";
      const body = { agent_name, owner_username: ann.username, current_password: PASSWORD };
      const made = (await moderator.post("/api/agents", body)).body;
      await moderator.put(`/api/agents/${made.agent_id}`, { paused: true });
      await moderator.put(`/api/agents/${made.agent_id}`, { paused: false });
      await moderator.delete(`/api/agenthub/agent-api-key/${made.key_id}`);
      const [revoked, resumed, paused, issued] = await notices(ann);
      expect([revoked, resumed, paused].map((each) => each?.notice)).toMatchObject([
        { code: "agent_key_revoked", subject: agent_name },
        { code: "agent_resumed", subject: agent_name },
        { code: "agent_paused", subject: agent_name },
      ]);
      expect(issued?.notice).toMatchObject({ code: "security", detail: "api_key_issued" });
    });

    test("of a change to the security of their account, until they dismiss it", async () => {
      const ann = await scene.fresh();
      const other = await logIn(server.url, ann.username);
      await ann.put(`/api/user/${ann.username}`, { email: "ann@example.org" });
      expect((await notices(ann))[0]).toMatchObject({ read_at: null, notice: { code: "security" } });
      const [{ notice_id }] = (await other.get("/api/security-notices")).body.notices;
      await other.post("/api/security-notices/dismiss", { up_to_notice_id: notice_id });
      expect((await ann.get(LIST)).body.unread).toBe(0);
    });
  });

  describe("tells nobody", () => {
    test("of bans by strangers from channels that they never entered, nor of acts by people whom they blocked", async () => {
      const [ann, bob] = [await scene.fresh(), await scene.fresh()];
      const channel = await scene.newChannel(ann);
      await ann.post(`/api/channels/${channel}/bans`, { username: bob.username });
      await bob.put(`/api/blocks/${ann.username}`);
      const other = await scene.newChannel(ann, bob);
      await ann.delete(`/api/channels/${other}/members/${bob.username}`);
      expect(await codes(bob)).toEqual([]);
    });

    test("twice of the same within an hour, unless they have read it", async () => {
      const ann = await scene.fresh();
      const userId = await idOf(ann);
      const tell = () =>
        transact(server.ctx, (ctx) => notify(ctx, userId, { code: "hook_disabled", subject: "build" }));
      await tell();
      await tell();
      expect(await codes(ann)).toEqual(["hook_disabled"]);
      await ann.post(`${LIST}/read`, { ids: [(await ann.get(LIST)).body.notifications[0].notification_id] });
      await tell();
      expect(await codes(ann)).toEqual(["hook_disabled", "hook_disabled"]);
    });

    test("of an act that was rolled back", async () => {
      const ann = await scene.fresh();
      const userId = await idOf(ann);
      const failed = transact(server.ctx, async (ctx) => {
        await notify(ctx, userId, { code: "hook_disabled" });
        throw new Error("no");
      });
      expect(failed).rejects.toThrow("no");
      await failed.catch(() => {});
      expect(await codes(ann)).toEqual([]);
    });
  });

  test("publishes notices to sockets and pushes them, also when the user may not see the channel any more", async () => {
    const { ann, bob, channel } = await scene.people();
    await using socket = await LiveSocket.open(server.url, ann.credential);
    await bob.post(`/api/channels/${channel}/bans`, { username: ann.username });
    const event = await socket.next("notification:new");
    expect(event.data).toMatchObject({ unread: 1, notification: { kind: "notice", notice: { code: "banned" } } });
    await scene.pass();
    const [pushed] = scene.service.pushed;
    expect(Check(PushPayload, pushed?.payload)).toBeTrue();
    expect(pushed?.payload).toMatchObject({ kind: "notice", notice: { code: "banned" }, from: null, unread: 1 });
    expect((await ann.get(SUBSCRIPTIONS)).body.subscriptions).toHaveLength(1);
  });

  test("keeps notices in the sweep of those whose messages are gone, and exports them", async () => {
    const ann = await scene.fresh();
    const userId = await idOf(ann);
    await transact(server.ctx, (ctx) => notify(ctx, userId, { code: "hook_disabled", subject: "build" }));
    await sweepNotifications(server.ctx);
    const { notifications } = (await ann.get(`/api/user/${ann.username}/export`)).body;
    expect(notifications).toMatchObject([
      { kind: "notice", code: "hook_disabled", subject: "build", message_id: null },
    ]);
  });
});
