import { describe, expect, test } from "bun:test";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { type Answered, type Client, startTestServer } from "../support/servers/test-server.ts";
import { auditLines, staff } from "../support/staff.ts";

/** Administration (protocol §11) over real HTTP: rights, refusals and the audit log. */
const callers: [name: string, client: Client, level: number][] = [];

const server = await forAllTests(startTestServer());
const ann = await server.user("ann");
const bob = await server.user("bob");
callers.push(["guest", server.guest, -1], ["agent", await server.agent("Helper"), -1], ["user", bob, 0]);
for (const level of [1, 2, 3] as const)
  callers.push([`level ${level}`, await staff(server, `staff${level}`, level), level]);
const level = (wanted: number): Client => callers.find((caller) => caller[2] === wanted)?.[1] ?? server.guest;
const codeOf = ({ status, body }: Answered): string => (status < 300 ? "ok" : body.code);

const room = (owner = ann, extra: Record<string, unknown> = {}) => newChannel(owner, extra);

async function report(): Promise<number> {
  const { id } = await room();
  const { message_id } = (await ann.post("/api/messages", { channel_id: id, content: "rude" })).body;
  return (await bob.post(`/api/messages/${message_id}/report`, { reason: "rude" })).body.report_id;
}

describe("administrative rights", () => {
  test.each<[string, number, (who: Client) => Promise<Answered>]>([
    ["find users", 2, (who) => who.get("/api/admin/users")],
    ["read the audit log", 2, (who) => who.get("/api/admin/audit")],
    ["list channels", 2, (who) => who.get("/api/admin/channels")],
    ["read reports", 1, (who) => who.get("/api/admin/reports")],
    ["close a report", 1, async (who) => who.put(`/api/admin/reports/${await report()}`, { status: "resolved" })],
    [
      "restore a channel",
      2,
      async (who) => {
        const { id } = await room();
        await ann.delete(`/api/channels/${id}`);
        return who.post(`/api/admin/channels/${id}/restore`);
      },
    ],
  ])("allow to %s from level %d on", async (_name, needed, act) => {
    for (const [name, client, has] of callers) {
      const expected = has === -1 ? "session_required" : has < needed ? "forbidden" : "ok";
      expect([name, codeOf(await act(client))]).toEqual([name, expected]);
    }
  });
});

describe("GET /api/admin/users", () => {
  const names = async (query: string): Promise<string[]> => {
    const answer = await level(2).get(`/api/admin/users${query}`);
    return answer.body.users.map(({ username }: { username: string }) => username);
  };

  test("finds users by name prefix, suspension and level, in pages", async () => {
    for (const name of ["zoe_1", "Zoe_2", "zoeX"]) await server.user(name);
    expect(await names("?prefix=ZOE_")).toEqual(["zoe_1", "Zoe_2"]);
    expect(await names("?prefix=%25")).toEqual([]);
    await level(2).put("/api/admin/users/zoex", { suspended_until: "2999-01-01T00:00:00.000Z" });
    expect(await names("?suspended=true")).toEqual(["zoeX"]);
    expect(await names("?prefix=zoe&suspended=false")).toEqual(["zoe_1", "Zoe_2"]);
    expect(await names("?admin=true")).toEqual(["staff1", "staff2", "staff3"]);
    expect(await names("?admin=false&prefix=s")).toEqual([]);
    const page = (await level(2).get("/api/admin/users?limit=2&offset=1")).body;
    expect(page).toMatchObject({ has_more: true, next_offset: 3, limit: 2, users: [{ username: "bob" }, {}] });
    expectError(await level(2).get("/api/admin/users?limit=0"), 400, "invalid_limit");
    expectError(await level(2).get("/api/admin/users?suspended=maybe"), 400, "invalid_request");
  });
});

describe("reports", () => {
  test("lists reports by status, closes each once, and names the moderator", async () => {
    const id = await report();
    const open = await level(1).get("/api/admin/reports?status=open&limit=1");
    expect(open.body).toMatchObject({
      limit: 1,
      reports: [{ report_id: id, reason: "rude", reporter_username: "bob" }],
    });
    const closed = await level(1).put(`/api/admin/reports/${id}`, { status: "dismissed", note: "it was a joke" });
    expect(closed.body.report).toMatchObject({ status: "dismissed", handled_by: "staff1", note: "it was a joke" });
    expectError(await level(1).put(`/api/admin/reports/${id}`, { status: "resolved" }), 409, "report_closed");
    const dismissed = (await level(1).get("/api/admin/reports?status=dismissed&limit=1")).body;
    expect(dismissed.reports[0].report_id).toBe(id);
    expect((await level(1).get(`/api/admin/reports?before=${id}`)).body.reports[0]?.report_id).not.toBe(id);
  });

  test.each<[string, object, number, string]>([
    ["99999", { status: "resolved" }, 404, "report_not_found"],
    ["x", { status: "resolved" }, 400, "invalid_id"],
    ["1", {}, 400, "invalid_request"],
    ["1", { status: "open" }, 400, "invalid_request"],
    ["1", { status: "resolved", note: "x".repeat(1_001) }, 400, "invalid_request"],
  ])("PUT …/%s %j → %d %s", async (id, body, status, code) => {
    expectError(await level(1).put(`/api/admin/reports/${id}`, body), status, code);
  });

  test("GET ?status=lost → 400", async () => {
    expectError(await level(1).get("/api/admin/reports?status=lost"), 400, "invalid_request");
  });
});

describe("GET /api/admin/channels", () => {
  test("finds channels by a part of the name, the slug or the owner, and sorts them", async () => {
    const mark = crypto.randomUUID().slice(0, 8);
    const made: number[] = [];
    for (const name of [`b 100%_ Äpfel ${mark}`, `C ${mark}`, `a ${mark}`]) {
      made.push((await ann.post("/api/channels", { name })).body.channel_id);
    }
    for (const at of [0, 0, 1]) await ann.post("/api/messages", { channel_id: made[at], content: "one" });
    const [apples = 0, second = 0, first = 0] = made;
    const found = async (query: string): Promise<number[]> => {
      const { status, body } = await level(2).get(`/api/admin/channels?${query}`);
      expect(status).toBe(200);
      return body.channels.map(({ id }: { id: number }) => id).filter((id: number) => made.includes(id));
    };
    expect(await found(`search=${mark.toUpperCase()}`)).toEqual([first, second, apples]);
    expect(await found(`search=${mark}&sort=name`)).toEqual([first, apples, second]);
    expect(await found(`search=${mark}&sort=messages`)).toEqual([apples, second, first]);
    expect(await found(`search=${mark}&sort=name&limit=1&offset=1`)).toEqual([apples]);
    expect(await found(`search=${encodeURIComponent("100%_ Äpf")}`)).toEqual([apples]);
    expect(await found("search=100x")).toEqual([]);
    expect(await found(`search=a-${mark}`)).toEqual([first]);
    expect(await found("search=ANN&deleted=false&limit=200")).toEqual([first, second, apples]);
    expectError(await level(2).get("/api/admin/channels?sort=lost"), 400, "invalid_request");
  });
});

describe("POST …/restore", () => {
  test("restores a channel, and its sockets find it again by resuming", async () => {
    const { id, slug } = await room();
    await using socket = await LiveSocket.open(server.url, bob.credential);
    const { last_seq, epoch } = (await socket.ask("channel:join", { channel_id: id })).data;
    await ann.delete(`/api/channels/${id}`);
    await socket.next("channel:deleted");
    const listed = await level(2).get("/api/admin/channels?deleted=true&limit=1");
    expect(listed.body.channels).toMatchObject([{ id, channel_slug: slug, owner_username: "ann" }]);
    const left = Date.parse(listed.body.channels[0].restorable_until) - Date.parse(listed.body.channels[0].deleted_at);
    expect(left).toBe(7 * 86_400_000);

    await room(bob, { channel_slug: slug });
    const restored = await level(2).post(`/api/admin/channels/${id}/restore`);
    expect(restored.body).toMatchObject({
      channel_id: id,
      channel: { channel_slug: `${slug}-2`, owner_username: "ann" },
    });
    const back = await socket.ask("channel:join", { channel_id: id, after_seq: last_seq, epoch });
    expect(back.data.events.map(({ event }: { event: string }) => event)).toEqual([
      "channel:deleted",
      "channel:update",
    ]);
    expect((await ann.post("/api/messages", { channel_id: id, content: "back" })).status).toBe(201);
  });

  test("notifies connected members of the restored channel, and nobody else", async () => {
    const { id, slug } = await room();
    await bob.post("/api/messages", { channel_id: id, content: "unread by ann" });
    await using hers = await LiveSocket.open(server.url, ann.credential);
    await using his = await LiveSocket.open(server.url, bob.credential);
    await using stranger = await LiveSocket.open(server.url, level(1).credential);
    await ann.delete(`/api/channels/${id}`);
    await level(2).post(`/api/admin/channels/${id}/restore`);
    const { data } = await hers.next("channel:added");
    expect(data.channel).toMatchObject({
      id,
      channel_slug: slug,
      my_role: "owner",
      unread_count: 1,
      last_seq: 3,
      member_count: 2,
    });
    expect((await his.next("channel:added")).data.channel).toMatchObject({ id, my_role: "member", unread_count: 0 });
    await stranger.ask("ping", {});
    expect(stranger.all("channel:added")).toEqual([]);
  });

  test("refuses channels that are not deleted, were deleted too long ago or never existed", async () => {
    const { id } = await room();
    const restore = (which: number | string) => level(2).post(`/api/admin/channels/${which}/restore`);
    expectError(await restore(id), 409, "channel_not_deleted");
    expectError(await restore(99_999), 404, "channel_not_found");
    expectError(await restore("x"), 400, "invalid_id");
    await ann.delete(`/api/channels/${id}`);
    const longAgo = Date.now() - 7 * 86_400_000;
    await server.ctx.db.updateTable("channels").set({ deleted_at: longAgo }).where("id", "=", id).execute();
    expectError(await restore(id), 410, "restore_expired");
  });

  test("refuses if the owner already owns the maximum number of channels", async () => {
    const carl = await server.user("carl");
    const { id } = await room(carl);
    await carl.delete(`/api/channels/${id}`);
    for (let n = 0; n < 50; n += 1) await room(carl);
    expectError(await level(2).post(`/api/admin/channels/${id}/restore`), 409, "channel_limit_reached");
  });
});

describe("the audit log", () => {
  const until = new Date(Date.now() + 3_600_000).toISOString();

  /** Acts performed by somebody with that level, and by the channel's owner in their own role. */
  const ACTS: [
    action: string,
    by: number,
    act: (who: Client, at: { id: number; message: number }) => Promise<Answered>,
  ][] = [
    ["message_delete message", 1, (who, { message }) => who.delete(`/api/messages/${message}`)],
    ["message_pin message", 1, (who, { message }) => who.post(`/api/messages/${message}/pin`)],
    ["member_update channel", 1, (who, { id }) => who.put(`/api/channels/${id}/members/bob`, { muted_until: until })],
    ["member_kick channel", 1, (who, { id }) => who.delete(`/api/channels/${id}/members/bob`)],
    ["member_ban channel", 1, (who, { id }) => who.post(`/api/channels/${id}/bans`, { username: "bob" })],
    ["guard_clear channel", 1, (who, { id }) => who.delete(`/api/channels/${id}/guard`)],
    ["channel_update channel", 2, (who, { id }) => who.put(`/api/channels/${id}`, { topic: "new" })],
    ["channel_delete channel", 2, (who, { id }) => who.delete(`/api/channels/${id}`)],
  ];

  test.each(ACTS)("records %s by level %d, but not by the channel's owner", async (action, by, act) => {
    for (const [who, expected] of [
      [ann, []],
      [level(by), [`staff${by} ${action}`]],
    ] as const) {
      const { id } = await room();
      await bob.post(`/api/channels/${id}/join`);
      const message = (await bob.post("/api/messages", { channel_id: id, content: "hi" })).body.message_id;
      const before = await auditLines(server);
      expect((await act(who, { id, message })).status).toBeLessThan(300);
      const lines = (await auditLines(server)).slice(before.length);
      expect(lines.map((line) => line.replace(/:\d+$/, ""))).toEqual([...expected]);
    }
  });

  test("records other acts done by level, and no refused or ineffective acts", async () => {
    const { id } = await room(ann, { is_private: true });
    const before = (await auditLines(server)).length;
    const admin = level(2);
    await admin.get(`/api/messages?channel_id=${id}`);
    await admin.post(`/api/channels/${id}/join`);
    await admin.post(`/api/channels/${id}/join`);
    await admin.post(`/api/channels/${id}/bans`, { username: "bob" });
    await admin.delete(`/api/channels/${id}/bans/bob`);
    await admin.delete(`/api/channels/${id}/bans/bob`);
    await admin.put("/api/user/bob", { email: "bob@example.org" });
    await admin.put("/api/admin/users/staff3", { suspended_until: until });
    const lines = (await auditLines(server)).slice(before).map((line) => line.replace(/:\d+$/, ""));
    expect(lines).toEqual([
      "staff2 channel_read channel",
      "staff2 channel_join channel",
      "staff2 member_ban channel",
      "staff2 member_unban channel",
      "staff2 user_update user",
    ]);
  });

  test("is read in filtered pages", async () => {
    const first = await level(2).get("/api/admin/audit?limit=2&actor=STAFF1");
    expect(first.body).toMatchObject({ has_more: true, limit: 2, entries: [{ actor: "staff1" }, { actor: "staff1" }] });
    const next = await level(2).get(`/api/admin/audit?limit=200&actor=staff1&before=${first.body.next_before}`);
    expect(next.body.entries[0].audit_id).toBeLessThan(first.body.entries[1].audit_id);
    const { subject } = first.body.entries[0];
    for (const entry of (await level(2).get(`/api/admin/audit?subject=${subject}`)).body.entries) {
      expect(entry.subject).toBe(subject);
    }
    expectError(await level(2).get("/api/admin/audit?before=x"), 400, "invalid_request");
    expectError(await level(2).get("/api/admin/audit?limit=x"), 400, "invalid_limit");
  });
});
