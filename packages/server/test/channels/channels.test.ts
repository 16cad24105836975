import { describe, expect, test } from "bun:test";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/** Protocol §3 over real HTTP. The rights are tested in channel-rights.test.ts. */

const server = await forAllTests(startTestServer());
const ann = await server.user("ann");
const bob = await server.user("bob");

/** Creates a channel for one test, owned by ann. */
const channel = (settings = {}) => newChannel(ann, settings);

describe("POST /api/channels", () => {
  test("creates a channel that its creator owns", async () => {
    const answer = await ann.post("/api/channels", {
      name: "  Größe & Café ",
      topic: "coffee",
      description: "",
      is_private: false,
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      success: true,
      message: expect.any(String),
      channel_slug: "grosse-cafe",
      channel: {
        id: answer.body.channel_id,
        name: "Größe & Café",
        owner_username: "ann",
        topic: "coffee",
        description: null,
        member_count: 1,
        my_role: "owner",
      },
    });
    const read = await ann.get(`/api/channels/${answer.body.channel_id}`);
    expect(read.body).toEqual({ success: true, channel: answer.body.channel });
  });

  test("accepts every setting that can be changed later", async () => {
    const settings = {
      name: "Made whole",
      channel_slug: "made-whole",
      is_private: true,
      topic: "new",
      description: "long",
      pin_policy: "members",
      post_policy: "admins",
      agent_policy: "deny",
      slow_mode_seconds: 30,
      price: null,
    };
    const { status, body } = await ann.post("/api/channels", { ...settings, password: "open sesame" });
    expect([status, body.channel]).toEqual([201, expect.objectContaining({ ...settings, has_password: true })]);
    expect(body.channel.updated_at).toBe(body.channel.created_at);
  });

  test("never returns a password", async () => {
    const answer = await ann.post("/api/channels", { name: "vault", is_private: true, password: "open sesame" });
    expect(answer.body.channel).toMatchObject({ is_private: true, has_password: true });
    const bodies = [answer, await ann.get("/api/channels"), await ann.get(`/api/channels/${answer.body.channel_id}`)];
    for (const { body } of bodies) expect(JSON.stringify(body)).not.toMatch(/sesame|argon2|password_hash/);
  });

  test.each<[object, string, number]>([
    [{}, "invalid_channel_name", 400],
    [{ name: "" }, "invalid_channel_name", 400],
    [{ name: "   " }, "invalid_channel_name", 400],
    [{ name: "x".repeat(65) }, "invalid_channel_name", 400],
    [{ name: 7 }, "invalid_channel_name", 400],
    [{ name: "a\nb" }, "invalid_channel_name", 400],
    [{ name: "x", channel_slug: "Not A Slug" }, "invalid_channel_slug", 400],
    [{ name: "x", channel_slug: "-x" }, "invalid_channel_slug", 400],
    [{ name: "x", channel_slug: "" }, "invalid_channel_slug", 400],
    [{ name: "x", channel_slug: "x".repeat(65) }, "invalid_channel_slug", 400],
    [{ name: "x", is_private: "yes" }, "invalid_request", 400],
    [{ name: "x", is_private: true, password: "" }, "invalid_request", 400],
    [{ name: "x", is_private: true, password: "1234567" }, "invalid_request", 400],
    [{ name: "x", is_private: true, password: "p".repeat(129) }, "invalid_request", 400],
    [{ name: "x", topic: "t".repeat(251) }, "invalid_request", 400],
    [{ name: "x", agent_policy: "some" }, "invalid_request", 400],
    [{ name: "x", slow_mode_seconds: -1 }, "invalid_request", 400],
    [{ name: "x", price: "free" }, "invalid_price", 400],
    [{ name: "x", password: "open sesame" }, "password_requires_private", 400],
    [{ name: "x", is_private: false, password: "open sesame" }, "password_requires_private", 400],
    [{ name: "x", channel_slug: "general" }, "slug_taken", 409],
    [{ name: "x", id: 5 }, "field_not_writable", 400],
    [{ name: "x", last_seq: 5 }, "field_not_writable", 400],
    [{ name: "x", owner_username: "bob" }, "field_not_writable", 400],
  ])("%j → %s", async (body, code, status) => {
    const answer = await ann.post("/api/channels", body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  test("refuses a guest with an invalid body with 401", async () => {
    const answer = await server.guest.post("/api/channels", { name: "" });
    expect([answer.status, answer.body.code]).toEqual([401, "session_required"]);
  });

  test("limits a user in production to 20 new channels an hour, even if they are deleted", async () => {
    await using server = await startTestServer({ rateFactor: 1 });
    const cid = await server.user("cid");
    for (let n = 1; n <= 20; n += 1) {
      const { status, body } = await cid.post("/api/channels", { name: `c${n}` });
      expect(status).toBe(201);
      await cid.delete(`/api/channels/${body.channel_id}`);
    }
    const refused = await cid.post("/api/channels", { name: "c21" });
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
    expect(refused.headers.get("ratelimit-policy")).toBe('"channel-create";q=20;w=3600');
    const dan = await server.user("dan");
    expect((await dan.post("/api/channels", { name: "c21" })).status).toBe(201);
  });

  test("still accepts a channel password that is shorter than today's minimum", async () => {
    const { id } = await channel({ is_private: true, password: "open sesame" });
    const password_hash = await Bun.password.hash("pw");
    await server.ctx.db.updateTable("channels").set({ password_hash }).where("id", "=", id).execute();
    expect((await bob.post(`/api/channels/${id}/join`, { password: "pw" })).status).toBe(200);
    expect((await ann.put(`/api/channels/${id}`, { topic: "still" })).status).toBe(200);
  });

  test("creates one channel for a repeated Idempotency-Key, also with a password", async () => {
    const send = (name: string) =>
      ann.post(
        "/api/channels",
        { name, is_private: true, password: "open sesame" },
        { headers: { "idempotency-key": "create-once" } },
      );
    const [first, twin] = await Promise.all([send("once"), send("once")]);
    const again = await send("once");
    expect([first.status, twin.status].sort()).toEqual([200, 201]);
    expect(twin.body.channel_id).toBe(first.body.channel_id);
    expect(again.body).toMatchObject({ channel_id: first.body.channel_id, deduplicated: true });
    expect((await send("other")).body.code).toBe("idempotency_conflict");
    const found = (await ann.get("/api/channels")).body.channels.filter((one: { name: string }) => one.name === "once");
    expect(found).toHaveLength(1);
  });
});

describe("PUT /api/channels/:channel_id", () => {
  test("changes every setting and returns the channel", async () => {
    const { id } = await channel();
    const settings = {
      name: "Renamed",
      channel_slug: "renamed-room",
      is_private: true,
      topic: "new",
      description: "long",
      pin_policy: "members",
      post_policy: "admins",
      agent_policy: "mention_only",
      slow_mode_seconds: 30,
    };
    const answer = await ann.put(`/api/channels/${id}`, { ...settings, password: "open sesame" });
    expect(answer.status).toBe(200);
    expect(answer.body.channel).toMatchObject({ ...settings, has_password: true, my_role: "owner", last_seq: 1 });
    const open = await ann.put(`/api/channels/${id}`, { is_private: false, topic: null });
    expect(open.body.channel).toMatchObject({ is_private: false, has_password: false, topic: null, last_seq: 2 });
    expect((await ann.get(`/api/channels/${id}`)).body.channel).toEqual(open.body.channel);
  });

  test("clears the password with null, so that the channel is invitation-only", async () => {
    const { id } = await channel({ is_private: true, password: "open sesame" });
    expect((await bob.get(`/api/channels/${id}`)).body.code).toBe("password_required");
    expect((await ann.put(`/api/channels/${id}`, { password: null })).body.channel.has_password).toBeFalse();
    expect((await bob.get(`/api/channels/${id}`)).body.code).toBe("channel_not_found");
    expect((await bob.post(`/api/channels/${id}/join`, { password: "open sesame" })).body.code).toBe(
      "channel_not_found",
    );
  });

  test("hands the channel over with owner_username, and keeps the former owner as an admin", async () => {
    const { id } = await channel();
    const answer = await ann.put(`/api/channels/${id}`, { owner_username: "BOB" });
    expect(answer.body.channel).toMatchObject({ owner_username: "bob", my_role: "admin", member_count: 2 });
    expect((await bob.get(`/api/channels/${id}`)).body.channel.my_role).toBe("owner");
    const back = await ann.put(`/api/channels/${id}`, { owner_username: "ann" });
    expect([back.status, back.body.code]).toEqual([403, "forbidden"]);
  });

  test.each<[object, string, number]>([
    [{}, "no_fields", 400],
    [{ unknown: 1 }, "no_fields", 400],
    [{ name: " " }, "invalid_channel_name", 400],
    [{ channel_slug: "A" }, "invalid_channel_slug", 400],
    [{ channel_slug: "general" }, "slug_taken", 409],
    [{ password: "open sesame" }, "password_requires_private", 400],
    [{ is_private: false, password: "open sesame" }, "password_requires_private", 400],
    [{ is_private: true, password: "1234567" }, "invalid_request", 400],
    [{ pin_policy: "all" }, "invalid_request", 400],
    [{ slow_mode_seconds: -1 }, "invalid_request", 400],
    [{ slow_mode_seconds: 1.5 }, "invalid_request", 400],
    [{ owner_username: "nobody-here" }, "user_not_found", 404],
    [{ has_password: true }, "field_not_writable", 400],
    [{ member_count: 9 }, "field_not_writable", 400],
    [{ my_role: "owner" }, "field_not_writable", 400],
  ])("%j → %s", async (body, code, status) => {
    const { id } = await channel();
    const answer = await ann.put(`/api/channels/${id}`, body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect((await ann.get(`/api/channels/${id}`)).body.channel.last_seq).toBe(0);
    await ann.delete(`/api/channels/${id}`);
  });
});

describe("DELETE /api/channels/:channel_id", () => {
  test("ends the channel for everyone", async () => {
    const { id, slug } = await channel();
    const answer = await ann.delete(`/api/channels/${id}`);
    expect(answer.body).toMatchObject({ success: true, message: expect.any(String), channel_id: id });
    for (const gone of [
      await ann.get(`/api/channels/${id}`),
      await ann.delete(`/api/channels/${id}`),
      await ann.put(`/api/channels/${id}`, { topic: "x" }),
      await ann.get(`/api/messages?channel_id=${id}`),
      await ann.post("/api/messages", { channel_slug: slug, content: "anyone?" }),
    ]) {
      expect([gone.status, gone.body.code]).toEqual([404, "channel_not_found"]);
    }
    const listed = (await ann.get("/api/channels")).body.channels.map((one: { id: number }) => one.id);
    expect(listed).not.toContain(id);
  });
});

test.each(["0", "-1", "abc", "1.5", "9007199254740993"])(
  "a channel route refuses the id %s with 400 invalid_id",
  async (id) => {
    const answer = await ann.get(`/api/channels/${id}`);
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_id"]);
  },
);
