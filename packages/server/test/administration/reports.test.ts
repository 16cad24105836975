import { describe, expect, test } from "bun:test";
import { Report } from "@parley/protocol/moderation";
import { Compile } from "typebox/compile";
import { closeReport, listReports } from "../../src/reports/reports.service.ts";
import { code, user } from "../support/actors.ts";
import { stillClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { type Client, eventually, startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

/** Somebody whom no report concerns. */
const READER = { userId: 0 };

/** Reports of messages over real HTTP, and the moderators' queue, on every database (protocol §4). */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({}, { database: await open() }));
  const [ann, bob] = [await server.user("ann"), await server.user("bob")];

  async function say(who: Client, content = "rude", settings: Record<string, unknown> = {}) {
    const made = await ann.post("/api/channels", { name: `Room ${crypto.randomUUID()}`, ...settings });
    const { status, body } = await who.post("/api/messages", { channel_id: made.body.channel_id, content });
    expect(status).toBe(201);
    return { channelId: made.body.channel_id as number, said: body.message_id as number, record: body.chat_message };
  }

  const report = (who: Client, messageId: number, reason: unknown = "rude", headers: Record<string, string> = {}) =>
    who.post(`/api/messages/${messageId}/report`, { reason }, { headers });
  const found = async (reportId: number) =>
    (await listReports(server.ctx, READER, { limit: 200 })).reports.find(({ report_id }) => report_id === reportId);

  describe("POST …/report", () => {
    test("keeps the message as it is, even if it changes later", async () => {
      const { channelId, said, record } = await say(ann, "you fool");
      const answer = await report(bob, said, "  insults me  ");
      expect(answer.status).toBe(201);
      expect(answer.body.deduplicated).toBeUndefined();
      await ann.put(`/api/messages/${said}`, { content: "you friend" });
      await ann.delete(`/api/messages/${said}`);
      const kept = await found(answer.body.report_id);
      expect(Compile(Report).Errors(kept)).toEqual([]);
      expect(kept).toMatchObject({
        status: "open",
        reason: "insults me",
        reporter_username: "bob",
        message_id: said,
        channel_id: channelId,
        chat_message: record,
        handled_by: null,
        handled_at: null,
        note: null,
      });
    });

    test("creates one report per reporter while it is open", async () => {
      const { said } = await say(ann);
      const answers = await Promise.all(Array.from({ length: 8 }, () => report(bob, said)));
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201]);
      expect(new Set(answers.map(({ body }) => body.report_id)).size).toBe(1);
      expect(answers.filter(({ body }) => body.deduplicated === true)).toHaveLength(7);
      const cat = await server.user(`cat${said}`);
      expect((await report(cat, said)).status).toBe(201);
      const first = answers[0]?.body.report_id as number;
      const moderator = await user(server.ctx, `mod${said}`, 1);
      await closeReport(server.ctx, moderator, first, { status: "dismissed" });
      const again = await report(bob, said);
      expect(again.status).toBe(201);
      expect(again.body.report_id).toBeGreaterThan(first);
    });

    test("honours an Idempotency-Key", async () => {
      const { said } = await say(ann);
      const key = { "idempotency-key": `report-${said}` };
      const first = await report(bob, said, "one", key);
      const again = await report(bob, said, "one", key);
      expect([first.status, again.status]).toEqual([201, 200]);
      expect(again.body).toEqual({ ...first.body, deduplicated: true });
      expectError(await report(bob, said, "two", key), 409, "idempotency_conflict");
      const short = await report(bob, said, "one", { "idempotency-key": "x" });
      expectError(short, 400, "idempotency_key_invalid");
    });

    test("refuses an empty reason, one that is too long, and messages the caller cannot read", async () => {
      const { said } = await say(ann);
      expectError(await bob.post(`/api/messages/${said}/report`, {}), 400, "invalid_request");
      for (const reason of [null, 5, "", " \n", "x".repeat(501)])
        expectError(await report(bob, said, reason), 400, "invalid_request");
      expect((await report(bob, said, "😀".repeat(500))).status).toBe(201);
      expectError(await report(bob, 999_999), 404, "message_not_found");
      expectError(await bob.post("/api/messages/abc/report", { reason: "x" }), 400, "invalid_id");
      expectError(await report(bob, (await say(ann, "x", { is_private: true })).said), 404, "message_not_found");
      const locked = await say(ann, "x", { is_private: true, password: "open sesame" });
      expectError(await report(bob, locked.said), 403, "password_required");
      await ann.delete(`/api/messages/${said}`);
      expectError(await report(bob, said), 409, "message_deleted");
      expectError(await bob.post(`/api/messages/${said}/report`), 415, "unsupported_media_type");
    });

    test("requires a session from guests and agents", async () => {
      const { said } = await say(ann);
      expectError(await report(server.guest, said), 401, "session_required");
      expectError(await report(await server.agent(), said), 401, "session_required");
      // Reading is enough, and reporting joins nothing.
      const { channelId } = await say(ann);
      expect((await bob.get(`/api/channels/${channelId}`)).body.channel.my_role).toBeNull();
      expect((await report(bob, said)).status).toBe(201);
      expect((await bob.get(`/api/channels/${channelId}`)).body.channel.my_role).toBeNull();
    });
  });

  describe("the queue of reports", () => {
    test("is returned in pages, newest first, by status", async () => {
      const { said } = await say(ann);
      const people = [];
      for (let n = 0; n < 5; n++) people.push(await server.user(`p${said}x${n}`));
      const ids: number[] = [];
      for (const person of people) ids.push((await report(person, said)).body.report_id);
      const mine = ({ reports }: { reports: Report[] }) =>
        reports.filter(({ message_id }) => message_id === said).map(({ report_id }) => report_id);
      const first = await listReports(server.ctx, READER, { status: "open", limit: 3 });
      expect(mine(first)).toEqual(ids.slice(2).reverse());
      expect(first).toMatchObject({ has_more: true, next_before: ids[2], limit: 3 });
      const second = await listReports(server.ctx, READER, {
        status: "open",
        limit: 2,
        before: first.next_before ?? 0,
      });
      expect(mine(second)).toEqual(ids.slice(0, 2).reverse());
      const moderator = await user(server.ctx, `mod${said}`, 1);
      await closeReport(server.ctx, moderator, ids[1] ?? 0, { status: "resolved", note: "spoken to" });
      expect(mine(await listReports(server.ctx, READER, { status: "open", limit: 200 }))).not.toContain(ids[1]);
      expect(mine(await listReports(server.ctx, READER, { status: "resolved" }))).toEqual([ids[1] ?? 0]);
    });

    test("hides from staff who reported them and their agents: the row, the count, the event, and the right to close", async () => {
      const [rude, mod] = [await staff(server, "rude_mod", 1), await staff(server, "fair_mod", 1)];
      const agent = await server.agent("RudeAgent");
      await server.ctx.db
        .updateTable("agents")
        .set((eb) => ({
          owner_user_id: eb.selectFrom("users").select("id").where("username", "=", "rude_mod"),
          owner_verified: 1,
        }))
        .where("id", "=", agent.agentId)
        .execute();
      const { channelId, said } = await say(ann, "fair enough");
      await rude.post(`/api/channels/${channelId}/join`);
      const own = (await rude.post("/api/messages", { channel_id: channelId, content: "rude" })).body.message_id;
      const { channel_slug } = (await ann.get(`/api/channels/${channelId}`)).body.channel;
      const ofAgent = (await agent.post("/api/agenthub/send", { channel_slug, message: "worse" })).body.message_id;
      const open = async (who: Client) => (await who.get("/api/admin/reports?status=open")).body.open_count as number;
      const [ofRude, ofMod] = [await open(rude), await open(mod)];
      await using rudeSocket = await LiveSocket.open(server.url, rude.credential);
      await using modSocket = await LiveSocket.open(server.url, mod.credential);
      const heard = (socket: LiveSocket) =>
        socket.all("reports:update").map(({ data }) => [data.report_id, data.status]);
      const ids: number[] = [];
      for (const message of [own, ofAgent, said]) ids.push((await report(bob, message)).body.report_id);
      await eventually("the moderator hears of all", () => heard(modSocket).length === 3);
      expect(heard(modSocket)).toEqual(ids.map((id) => [id, "open"]));
      await eventually("the reported one hears of the last", () => heard(rudeSocket).length > 0);
      expect(heard(rudeSocket)).toEqual([[ids[2], "open"]]);
      expect([(await open(rude)) - ofRude, (await open(mod)) - ofMod]).toEqual([1, 3]);
      const seen = (await rude.get("/api/admin/reports?limit=200")).body.reports as Report[];
      expect(seen.map(({ report_id }) => report_id)).not.toContain(ids[0]);
      expect(seen.map(({ report_id }) => report_id)).not.toContain(ids[1]);
      for (const id of ids.slice(0, 2)) {
        expectError(await rude.put(`/api/admin/reports/${id}`, { status: "dismissed" }), 404, "report_not_found");
      }
      // The notices of a closed report are read.
      const unread = async () => (await mod.get("/api/notifications?unread=true")).body.unread as number;
      expect(await unread()).toBe(3);
      expect((await mod.put(`/api/admin/reports/${ids[0]}`, { status: "resolved" })).status).toBe(200);
      await eventually("the moderator hears of the end", () => heard(modSocket).length === 4);
      expect(await unread()).toBe(2);
      // Another reporter's report of the same message is still open.
      const again = (await report(await server.user("second_reporter"), said)).body.report_id;
      await mod.put(`/api/admin/reports/${ids[2]}`, { status: "dismissed" });
      expect(await unread()).toBe(2);
      await mod.put(`/api/admin/reports/${again}`, { status: "dismissed" });
      expect(await unread()).toBe(1);
      await eventually("the reported one hears of the rest", () => heard(rudeSocket).length === 4);
      expect(heard(rudeSocket).map(([id]) => id)).toEqual([ids[2], again, ids[2], again]);
      expect(heard(modSocket)[3]).toEqual([ids[0], "resolved"]);
    });

    test("closes a report once, even if several moderators do so at once", async () => {
      const { said } = await say(ann);
      const { report_id } = (await report(bob, said)).body;
      const moderator = await user(server.ctx, `mod${said}`, 1);
      const outcomes = await Promise.allSettled(
        (["resolved", "dismissed", "resolved"] as const).map((status) =>
          closeReport(server.ctx, moderator, report_id, { status, note: status }),
        ),
      );
      const won = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
      const lost = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
      expect(won).toHaveLength(1);
      expect(lost).toEqual([code("report_closed"), code("report_closed")]);
      expect(await found(report_id)).toEqual(won[0]);
      expect(won[0]).toMatchObject({ handled_by: `mod${said}`, handled_at: expect.any(String), note: won[0]?.status });
      await expect(closeReport(server.ctx, moderator, 999_999, { status: "resolved" })).rejects.toEqual(
        code("report_not_found"),
      );
    });
  });
});

test("reporting has its own rate limit in production", async () => {
  await using server = await startTestServer({ rateLimits: "on", rateFactor: 1 }, { clock: stillClock() });
  const ann = await server.user("ann");
  const { body } = await ann.post("/api/messages", { channel_slug: "general", content: "hello" });
  const path = `/api/messages/${body.message_id}/report`;
  for (let n = 0; n < 10; n++) expect((await ann.post(path, { reason: "spam" })).status).toBe(n === 0 ? 201 : 200);
  expectError(await ann.post(path, { reason: "spam" }), 429, "rate_limited");
});
