import { describe, expect, test } from "bun:test";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { startTestServer } from "../support/servers/test-server.ts";
import { auditLines, staff } from "../support/staff.ts";

/** The settings of protocol §13.8 over real HTTP. */

const server = await forAllTests(startTestServer({ retentionDays: 90, retentionMaxDays: 365 }));
const ann = await server.user("ann");
const bob = await server.user("bob");
const ruth = await staff(server, "ruth", 2);

const channelOf = async (id: number, who = ann) => (await who.get(`/api/channels/${id}`)).body.channel;

describe("the limit of a channel", () => {
  test("is the server's default until the owner sets one, and never above the server's maximum", async () => {
    const { id } = await newChannel(ann);
    const record = { retention_days: null, effective_retention_days: 90, keep_pinned: true, held_until: null };
    expect(await channelOf(id)).toMatchObject({ ...record, oldest_message_id: null });
    for (const [days, effective] of [
      [1, 1],
      [365, 365],
      [3_650, 365],
    ]) {
      const { body } = await ann.put(`/api/channels/${id}`, { retention_days: days, keep_pinned: false });
      expect(body.channel).toMatchObject({
        retention_days: days,
        effective_retention_days: effective,
        keep_pinned: false,
      });
    }
    const { body } = await ann.put(`/api/channels/${id}`, { retention_days: null });
    expect(body.channel).toMatchObject({ retention_days: null, effective_retention_days: 90 });
  });

  test.each([0, 3_651, 1.5, "7"])("is refused when it is %p", async (retention_days) => {
    const { id } = await newChannel(ann);
    expect((await ann.put(`/api/channels/${id}`, { retention_days })).body).toMatchObject({ code: "invalid_request" });
  });

  test("can be set at the creation, and is not for the channel's admins", async () => {
    const { body } = await ann.post("/api/channels", { name: "Short", retention_days: 3, keep_pinned: false });
    expect(body.channel).toMatchObject({ retention_days: 3, effective_retention_days: 3, keep_pinned: false });
    const id = body.channel_id;
    await ann.put(`/api/channels/${id}/members/bob`, { role: "admin" });
    for (const change of [{ retention_days: 4 }, { keep_pinned: true }, { topic: "x", retention_days: 4 }]) {
      expect((await bob.put(`/api/channels/${id}`, change)).body.code).toBe("forbidden");
      expect((await bob.put(`/api/channels/${id}?dry_run=true`, change)).body.code).toBe("forbidden");
    }
    expect((await bob.put(`/api/channels/${id}`, { topic: "x" })).status).toBe(200);
    expect((await ruth.put(`/api/channels/${id}`, { retention_days: 4 })).body.channel.retention_days).toBe(4);
    expect(await auditLines(server)).toContain(`ruth channel_update channel:${id}`);
  });

  test("names the oldest message", async () => {
    const { id } = await newChannel(ann);
    const { body } = await ann.post("/api/messages", { channel_id: id, content: "first" });
    await ann.post("/api/messages", { channel_id: id, content: "second" });
    expect(await channelOf(id)).toMatchObject({ oldest_message_id: body.message_id });
    const { channels } = (await ann.get("/api/channels")).body;
    expect(channels.find((one: { id: number }) => one.id === id).oldest_message_id).toBe(body.message_id);
  });
});

describe("a dry run", () => {
  test("changes nothing and names the limit that would hold", async () => {
    const { id } = await newChannel(ann);
    await ann.post("/api/messages", { channel_id: id, content: "new" });
    const { status, body } = await ann.put(`/api/channels/${id}?dry_run=true`, { retention_days: 400 });
    expect([status, body]).toMatchObject([
      200,
      { dry_run: true, would_delete: { messages: 0, files: 0 }, effective_retention_days: 365 },
    ]);
    expect(body.channel).toMatchObject({ retention_days: null });
    expect(await channelOf(id)).toMatchObject({ retention_days: null });
  });

  test("checks as the change does", async () => {
    const { id } = await newChannel(ann);
    const path = `/api/channels/${id}?dry_run=true`;
    expect((await ann.put(path, {})).body.code).toBe("no_fields");
    expect((await bob.put(path, { retention_days: 1 })).body.code).toBe("forbidden");
    expect((await ann.put(path, { retention_days: 0 })).body.code).toBe("invalid_request");
    expect((await ann.put(`/api/channels/${id}?dry_run=maybe`, { retention_days: 1 })).body.code).toBe(
      "invalid_request",
    );
  });
});

describe("a hold", () => {
  const until = "2999-01-01T00:00:00.000Z";

  test("is set and ended by administrators, audited, and its reason is theirs alone", async () => {
    const { id } = await newChannel(ann);
    const path = `/api/admin/channels/${id}/hold`;
    const held = await ruth.put(path, { until, reason: "a lawsuit" });
    expect(held.body).toMatchObject({ channel_id: id, held_until: until, hold_reason: "a lawsuit" });
    expect(await channelOf(id)).toMatchObject({ held_until: until });
    expect(JSON.stringify(await channelOf(id))).not.toContain("lawsuit");
    const listed = (await ruth.get("/api/admin/channels")).body.channels.find((one: { id: number }) => one.id === id);
    expect(listed).toMatchObject({ held_until: until, hold_reason: "a lawsuit", effective_retention_days: 90 });
    const ended = await ruth.put(path, { until: null });
    expect(ended.body).toMatchObject({ held_until: null, hold_reason: null });
    expect(await channelOf(id)).toMatchObject({ held_until: null });
    const { entries } = (await ruth.get("/api/admin/audit?action=channel_hold")).body;
    expect(entries.map(({ details }: { details: object }) => details)).toEqual([
      { until: null, reason: null },
      { until, reason: "a lawsuit" },
    ]);
  });

  test("is not for moderators and owners of channels, and needs a reason and a future", async () => {
    const { id } = await newChannel(ann);
    const path = `/api/admin/channels/${id}/hold`;
    const moderator = await staff(server, "mona", 1);
    for (const who of [ann, moderator])
      expect((await who.put(path, { until, reason: "mine" })).body.code).toBe("forbidden");
    for (const body of [{}, { until }, { until, reason: " " }, { until: "2001-01-01T00:00:00.000Z", reason: "late" }])
      expect((await ruth.put(path, body)).body.code).toBe("invalid_request");
    expect((await ruth.put("/api/admin/channels/99999/hold", { until: null })).body.code).toBe("channel_not_found");
  });

  test("takes a deleted channel", async () => {
    const { id } = await newChannel(ann);
    await ann.delete(`/api/channels/${id}`);
    expect((await ruth.put(`/api/admin/channels/${id}/hold`, { until, reason: "evidence" })).status).toBe(200);
  });
});
