import { expect, test } from "bun:test";
import {
  NOTIFICATIONS_PER_SENDER,
  NOTIFICATIONS_PER_USER,
  PENDING_MENTIONS_MAX,
  PUSH_SUBSCRIPTIONS_PER_USER,
} from "@parley/protocol/limits";
import { keepNotice } from "../../src/accounts/security-notices/security-notices.ts";
import { transact } from "../../src/db/transact.ts";
import { insertItems } from "../../src/messages/inbox/inbox-rows.ts";
import { challengeOf, setUpApp } from "../support/authenticator-app.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { pushKeys } from "../support/push-keys.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { type Client, eventually, logIn, startTestServer } from "../support/servers/test-server.ts";
import { SETTINGS } from "./at-once.ts";
import { AN_AGENT, AT_ONCE } from "./limit-rows.ts";

/** Passkeys need an address with a name. */
const ORIGIN = "https://chat.example.org";

type Table =
  | ("push_subscriptions" | "security_notices" | "sessions")
  | ("login_devices" | "login_challenges" | "passkey_challenges");

/** Limits that drop the oldest never hold more than their number, whatever arrives at once, as far as a reader can see. */
eachDatabase(async (_, open) => {
  const config = { ...SETTINGS, publicUrl: ORIGIN, pushSubject: "mailto:operator@example.org" };
  const server = await forAllTests(startTestServer(config, { database: await open() }));

  const atOnce = <T>(act: (n: number) => Promise<T>) => Promise.all(Array.from({ length: AT_ONCE }, (_, n) => act(n)));
  const idOf = async (username: string) => {
    const users = server.ctx.db.selectFrom("users").select("id");
    return (await users.where("username", "=", username).executeTakeFirstOrThrow()).id;
  };
  const rowsOf = async (table: Table, username: string) =>
    (
      await server.ctx.db
        .selectFrom(table)
        .select("user_id")
        .where("user_id", "=", await idOf(username))
        .execute()
    ).length;
  /** Mentions a name in many messages at once; returns the id of the newest. */
  const mention = async (from: Client, name: string) => {
    const sent = await atOnce((n) => from.post("/api/messages", { channel_slug: "general", content: `@${name} ${n}` }));
    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([201]));
    return Math.max(...sent.map(({ body }) => body.message_id));
  };

  test("push subscriptions of a user", async () => {
    const ann = await server.user("ann");
    const answers = await atOnce((n) =>
      ann.post("/api/push/subscriptions", { endpoint: `https://127.0.0.1:1024/${n}`, keys: pushKeys() }),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await rowsOf("push_subscriptions", "ann")).toBe(PUSH_SUBSCRIPTIONS_PER_USER);
  });

  test("security notices of a user, of one kind and actor", async () => {
    await server.user("bob");
    const notice = { userId: await idOf("bob"), kind: "reset_link_made", by: "operator" } as const;
    for (let round = 0; round < 2; round++) await atOnce(() => transact(server.ctx, (ctx) => keepNotice(ctx, notice)));
    expect(await rowsOf("security_notices", "bob")).toBe(50);
  });

  test("sessions of a user", async () => {
    await server.user("cid");
    for (let round = 0; round < 2; round++) await atOnce(() => logIn(server.url, "cid"));
    expect(await rowsOf("sessions", "cid")).toBe(100);
  });

  test("browsers of a user", async () => {
    await server.user("dora");
    await atOnce(() => logIn(server.url, "dora"));
    expect(await rowsOf("login_devices", "dora")).toBe(20);
  });

  test("logins of a user that wait for a second factor", async () => {
    await setUpApp(await server.user("emil"), server.ctx.clock);
    await atOnce(() => challengeOf(server.guest, "emil"));
    expect(await rowsOf("login_challenges", "emil")).toBe(10);
  });

  test("challenges of a user who adds a passkey", async () => {
    const flo = await server.user("flo");
    const answers = await atOnce(() => flo.post("/api/auth/passkeys/options", {}));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await rowsOf("passkey_challenges", "flo")).toBe(1);
  });

  test("items of an agent's inbox, to each reader", async () => {
    const [dan, agent] = [await server.user("dan"), await server.agent("Helper")];
    const { body } = await dan.post("/api/messages", { channel_slug: "general", content: "@Helper hello" });
    const { id: message_id, channel_id } = body.chat_message;
    const item = { agent_id: agent.agentId, agent_name: "Helper", channel_id, message_id, created_at: 1 };
    const items = Array.from({ length: PENDING_MENTIONS_MAX - 1 }, () => item);
    await transact(server.ctx, (ctx) => insertItems(ctx.db, items));
    const get = async (path: string) => (await agent.get(`/api/agenthub/${path}`)).body;
    const post = async (path: string, ids: object) => (await agent.post(`/api/agenthub/${path}`, ids)).body;
    const readers: (() => Promise<number>)[] = [
      async () => (await get("me")).pending,
      async () => (await post("inbox/ack", { item_ids: [1] })).remaining,
      async () => (await post("mentions/ack", { mention_ids: [1] })).remaining,
      ...["inbox?", "mentions?mark_read=false&"].map((path) => async () => {
        const page = await get(`${path}limit=10`);
        return page.count + page.remaining;
      }),
    ];
    for (const read of readers) {
      await mention(dan, "Helper");
      const seen = await read();
      // The notice of what was dropped is an item, too, and one may have been acknowledged.
      expect([seen >= PENDING_MENTIONS_MAX - 1, seen <= PENDING_MENTIONS_MAX + 1]).toEqual([true, true]);
    }
  });

  test("notifications of a user by one sender, to each reader", async () => {
    const [eve, fay] = [await server.user("eve"), await server.user("fay")];
    await using socket = await LiveSocket.open(server.url, fay.credential);
    let newest = 0;
    for (let round = 0; round < 3; round++) newest = await mention(eve, "fay");
    const list = await eventually("the newest notification", async () => {
      const { body } = await fay.get("/api/notifications?limit=100");
      // More may have been made since the list was read.
      expect([body.unread <= NOTIFICATIONS_PER_SENDER, body.has_more]).toEqual([true, false]);
      return body.notifications[0]?.message_id === newest ? body : null;
    });
    expect([list.notifications.length, list.unread]).toEqual([NOTIFICATIONS_PER_SENDER, NOTIFICATIONS_PER_SENDER]);
    const told = [...socket.all("notification:new"), ...socket.all("notification:read")];
    expect(Math.max(...told.map(({ data }) => data.unread))).toBe(NOTIFICATIONS_PER_SENDER);
  });

  test("notifications of a user by many senders, to each reader", async () => {
    const [gil, hal] = [await server.user("gil"), await server.user("hal")];
    await fillList(await idOf("hal"));
    await using socket = await LiveSocket.open(server.url, hal.credential);
    const newest = await mention(gil, "hal");
    await eventually("the newest notification", () =>
      socket.all("notification:new").some(({ data }) => data.notification.message_id === newest),
    );
    expect(Math.max(...socket.all("notification:new").map(({ data }) => data.unread))).toBe(NOTIFICATIONS_PER_USER);
    expect((await hal.get("/api/notifications")).body.unread).toBe(NOTIFICATIONS_PER_USER);
  });

  /** Puts as many notifications into a user's list as it holds, by agents who each caused as many as one may. */
  async function fillList(user_id: number): Promise<void> {
    const { db, clock } = server.ctx;
    const created_at = clock.now();
    const senders = NOTIFICATIONS_PER_USER / NOTIFICATIONS_PER_SENDER;
    const agents = await db
      .insertInto("agents")
      .values(Array.from({ length: senders }, () => ({ ...AN_AGENT, created_at })))
      .returning("id")
      .execute();
    const notice = JSON.stringify({ type: "removed", text: "x", channel_id: null, message_id: null });
    for (const { id } of agents) {
      const rows = Array.from({ length: NOTIFICATIONS_PER_SENDER }, (_, n) => ({
        ...({ user_id, kind: "notice", about: "message", channel_id: 0, message_id: -(id * 1_000 + n) } as const),
        ...{ seq: 0, thread_root_id: null, from_user_id: null, from_agent_id: id, from_name: null, reaction: null },
        ...{ notice, read_at: null, created_at },
      }));
      await db.insertInto("notifications").values(rows).execute();
    }
  }
});
