import { describe, expect, test } from "bun:test";
import { untimed } from "../support/clock.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/** The list of channels over real HTTP (protocol §3). */

const server = await forAllTests(startTestServer());

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe("GET /api/channels", () => {
  test("contains general from the start, with the protocol's fields first", async () => {
    const answer = await server.guest.get("/api/channels");
    expect(answer.status).toBe(200);
    const [general] = answer.body.channels;
    expect(Object.keys(general).slice(0, 4)).toEqual(["id", "name", "is_private", "owner_username"]);
    expect(general).toMatchObject({
      id: 1,
      name: "general",
      is_private: false,
      owner_username: "system",
      channel_slug: "general",
      has_password: false,
      topic: null,
      description: null,
      member_count: 0,
      online_count: 0,
      last_seq: 0,
      pin_policy: "admins",
      post_policy: "everyone",
      agent_policy: "allow",
      slow_mode_seconds: 0,
      retention_days: null,
      effective_retention_days: null,
      keep_pinned: true,
      held_until: null,
      oldest_message_id: null,
      is_direct: false,
      price: null,
      created_at: expect.stringMatching(TIME),
      updated_at: expect.stringMatching(TIME),
      my_role: null,
      direct_with: null,
      direct_with_agent: null,
      last_read_seq: null,
      unread_from_seq: null,
      unread_count: null,
    });
  });

  test("returns at most 200 channels per page besides the caller's own", async () => {
    await using server = await startTestServer();
    const cid = await server.user("cid");
    await cid.post("/api/channels/1/leave");
    for (let n = 1; n <= 4; n += 1) expect((await cid.post("/api/channels", { name: `c${n}` })).status).toBe(201);
    const slugs = (body: { channels: { channel_slug: string }[] }) => body.channels.map((one) => one.channel_slug);
    const all = (await server.guest.get("/api/channels")).body;
    expect(slugs(all)).toEqual(["general", "c1", "c2", "c3", "c4"]);
    expect(all).toMatchObject({ success: true, has_more: false, next_after_id: null, next_offset: null, limit: 200 });
    const first = (await server.guest.get("/api/channels?limit=2")).body;
    expect([slugs(first), first.has_more, first.next_offset, first.limit]).toEqual([["general", "c1"], true, 2, 2]);
    const last = (await server.guest.get("/api/channels?limit=3&offset=2")).body;
    expect([slugs(last), last.has_more, last.next_offset]).toEqual([["c2", "c3", "c4"], false, null]);
    expect((await server.guest.get("/api/channels?limit=999")).body.limit).toBe(200);
    const second = (await server.guest.get(`/api/channels?limit=2&after_id=${first.next_after_id}`)).body;
    expect([slugs(second), second.has_more, second.next_offset]).toEqual([["c2", "c3"], true, null]);
    const mine = (await cid.get("/api/channels?limit=1")).body;
    expect([slugs(mine), mine.has_more]).toEqual([["c1", "c2", "c3", "c4", "general"], false]);
    expect(slugs((await server.guest.get("/api/channels?channel_slug=C3")).body)).toEqual(["c3"]);
  });

  test("counts a page of many own channels as several requests", async () => {
    await using server = await startTestServer({ rateFactor: 1 }, { clock: untimed });
    const dan = await server.user("dan");
    const { db } = server.ctx;
    const users = db.selectFrom("users").select("id as user_id").where("username", "=", "dan");
    const { user_id } = await users.executeTakeFirstOrThrow();
    const channel = db.selectFrom("channels").selectAll().where("id", "=", 1);
    const { id: _, ...general } = await channel.executeTakeFirstOrThrow();
    for (let from = 0; from < 1_000; from += 100) {
      const made = Array.from({ length: 100 }, (_, n) => ({ ...general, slug: `own-${from + n}` }));
      const channels = await db.insertInto("channels").values(made).returning("id").execute();
      const place = { user_id, role: "member" as const, muted_until: null, joined_at: 1 };
      const places = channels.map(({ id }) => ({ ...place, channel_id: id }));
      await db.insertInto("channel_members").values(places).execute();
    }
    const left = async () => {
      const { headers } = await dan.get("/api/channels/1");
      return Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
    };
    const before = await left();
    const { status, body } = await dan.get("/api/channels");
    expect([status, body.channels.length]).toEqual([200, 1_001]);
    // 1,001 channels count as six pages; the request itself pays for two.
    expect(before - (await left())).toBe(6);
    let answer = await dan.get("/api/channels");
    for (let asked = 0; answer.status === 200 && asked < 100; asked += 1) answer = await dan.get("/api/channels");
    expect([answer.status, answer.body.code]).toEqual([429, "rate_limited"]);
  });

  test.each([
    ["limit=0", "invalid_limit"],
    ["limit=x", "invalid_limit"],
    ["limit=-1", "invalid_limit"],
    ["limit=1.5", "invalid_limit"],
    ["offset=-1", "invalid_request"],
    ["after_id=-1", "invalid_request"],
    ["after_id=x", "invalid_request"],
  ])("refuses %s with 400 %s", async (query, code) => {
    const answer = await server.guest.get(`/api/channels?${query}`);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
  });
});
