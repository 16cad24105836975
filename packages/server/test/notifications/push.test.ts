import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { PUSH_PAYLOAD_BYTES } from "@parley/protocol/limits";
import { PushPayload, PushSubscriptionsResponse, SubscribePushResponse } from "@parley/protocol/notifications";
import { Check } from "typebox/schema";
import { notificationsConsumer, pusher } from "../../src/notifications/start.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { pushKeys } from "../support/push-keys.ts";
import { PushService } from "../support/push-service.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import {
  type Client,
  eventually,
  logIn,
  PASSWORD,
  startTestServer,
  type TestServer,
} from "../support/servers/test-server.ts";
import type { Named } from "../support/staff.ts";

const SUBSCRIPTIONS = "/api/push/subscriptions";
const SETTINGS = "/api/notifications/settings";
const EGRESS = { egressAllow: ["127.0.0.0/8"], pushSubject: "mailto:operator@example.org" };

/** Web Push (protocol §13.5), to a push service of this test that decrypts what it gets. */
eachDatabase((_, open) => {
  const clock = datedClock();
  let server: TestServer;
  let service: PushService;
  let count = 0;
  beforeAll(async () => {
    server = await startTestServer(EGRESS, { database: await open(), clock });
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose](), 60_000);
  beforeEach(() => {
    service = new PushService();
    return () => service[Symbol.dispose]();
  });

  const fresh = async (): Promise<Named> => {
    const username = `user_${++count}`;
    return Object.assign(await server.user(username), { username });
  };
  const newChannel = async (owner: Client, ...members: Client[]): Promise<number> => {
    const id = (await owner.post("/api/channels", { name: `Room ${++count}` })).body.channel_id;
    for (const member of members) await member.post(`/api/channels/${id}/join`);
    return id;
  };
  const subscribe = async (who: Client): Promise<number> => {
    const { public_key } = (await who.get("/api/push/key")).body;
    const answer = await who.post(SUBSCRIPTIONS, service.browser(public_key));
    expect([answer.status, Check(SubscribePushResponse, answer.body)]).toEqual([201, true]);
    return answer.body.subscription.subscription_id;
  };
  const say = async (who: Client, channel_id: number, content: string): Promise<number> =>
    (await who.post("/api/messages", { channel_id, content })).body.message_id;
  /** Lets that much time pass, and sends what is due. */
  const pass = async (ms = 11_000) => {
    await notificationsConsumer(server.ctx).flush();
    clock.ahead += ms;
    await pusher(server.ctx).pass();
    await pusher(server.ctx).settled();
  };
  /** A user with a browser, and somebody who mentions them. */
  const scene = async () => {
    const [ann, bob] = [await fresh(), await fresh()];
    const channel = await newChannel(bob, ann);
    await subscribe(ann);
    return { ann, bob, channel };
  };
  const queued = () => server.ctx.db.selectFrom("push_queue").selectAll().where("pending", "=", 1).execute();

  test("sends a mention, encrypted for the browser and signed by the server, without its text", async () => {
    const { ann, bob, channel } = await scene();
    const message_id = await say(bob, channel, `secret plans, @${ann.username}`);
    await pass(5_000);
    expect(service.pushed).toEqual([]);
    await pass(6_000);
    const [pushed] = service.pushed;
    expect(service.pushed).toHaveLength(1);
    expect(Check(PushPayload, pushed?.payload)).toBeTrue();
    expect(pushed?.payload).toMatchObject({
      v: 1,
      kind: "mention",
      channel_id: channel,
      message_id,
      from: { kind: "user", name: bob.username },
      text: null,
      unread: 1,
      tag: `channel-${channel}`,
    });
    expect(JSON.stringify(pushed?.payload)).not.toContain("secret");
    expect(pushed?.claims).toMatchObject({ sub: "mailto:operator@example.org" });
    expect(pushed?.headers.get("ttl")).toBe("86400");
    expect(pushed?.headers.get("topic")).toMatch(/^[\w-]{32}$/);
    await pass();
    expect(service.pushed).toHaveLength(1);
  });

  test("contains the beginning of the text if the user allows previews, and stays below the limit", async () => {
    const { ann, bob, channel } = await scene();
    await ann.put(SETTINGS, { push: { previews: true } });
    await say(bob, channel, `@${ann.username} **${"漢".repeat(3_900)}**`);
    await pass();
    const text = service.pushed[0]?.payload.text ?? "";
    expect(text.startsWith(`@${ann.username} 漢`)).toBeTrue();
    expect([...text]).toHaveLength(200);
    expect(Buffer.byteLength(JSON.stringify(service.pushed[0]?.payload))).toBeLessThanOrEqual(PUSH_PAYLOAD_BYTES);
  });

  test("sends each message of a channel of the level all, and of no other", async () => {
    const { ann, bob, channel } = await scene();
    await say(bob, channel, "nobody is meant");
    await pass();
    expect(service.pushed).toEqual([]);
    const loud = await newChannel(bob, ann);
    await ann.put(SETTINGS, { channels: { [loud]: { level: "all" } } });
    const message_id = await say(bob, loud, "hello");
    await say(ann, loud, "my own");
    await pass();
    expect(service.pushed).toMatchObject([{ payload: { kind: "message", notification_id: null, message_id } }]);
  });

  test("sends nothing that the user has read elsewhere, nor what was deleted", async () => {
    const { ann, bob, channel } = await scene();
    await say(bob, channel, `@${ann.username}`);
    await ann.post(`/api/channels/${channel}/read`);
    await eventually("it is read", async () => (await ann.get("/api/notifications")).body.unread === 0);
    await pass();
    const doomed = await say(bob, channel, `@${ann.username}`);
    await notificationsConsumer(server.ctx).flush();
    await bob.delete(`/api/messages/${doomed}`);
    await pass();
    expect(service.requests).toBe(0);
    expect(await queued()).toEqual([]);
  });

  test("sends nothing while a page of the user is visible", async () => {
    const { ann, bob, channel } = await scene();
    {
      await using page = await LiveSocket.open(server.url, ann.credential);
      await page.ask("page:visible", { visible: true });
      await say(bob, channel, `@${ann.username}`);
      await pass();
      expect(service.requests).toBe(0);
      await page.ask("page:visible", { visible: false });
      await say(bob, channel, `@${ann.username}`);
      await pass();
      expect(service.pushed).toHaveLength(1);
      await page.ask("page:visible", { visible: true });
    }
    // A page that is closed is not visible.
    await say(bob, channel, `@${ann.username}`);
    await eventually("it arrives", async () => {
      await pass(61_000);
      return service.pushed.length === 2;
    });
  });

  test("folds what follows within a minute, and shows the newest", async () => {
    const { ann, bob, channel } = await scene();
    await say(bob, channel, `@${ann.username} 1`);
    await pass();
    for (const n of [2, 3]) await say(bob, channel, `@${ann.username} ${n}`);
    const last = await say(bob, channel, `@${ann.username} 4`);
    await pass();
    expect(service.pushed).toHaveLength(1);
    await pass(50_000);
    expect(service.pushed).toHaveLength(2);
    expect(service.pushed[1]?.payload).toMatchObject({ message_id: last, unread: 4 });
    expect(service.pushed[1]?.headers.get("topic")).toBe(service.pushed[0]?.headers.get("topic") ?? "");
  });

  describe("is quiet", () => {
    test("until muted_until, and sends nothing afterwards", async () => {
      const { ann, bob, channel } = await scene();
      await ann.put(SETTINGS, { muted_until: new Date(clock.now() + 60_000).toISOString() });
      await say(bob, channel, `@${ann.username}`);
      await pass();
      await pass(120_000);
      expect(service.requests).toBe(0);
      await say(bob, channel, `@${ann.username}`);
      await pass();
      expect(service.pushed).toHaveLength(1);
    });

    test("in the quiet hours of the user's time zone", async () => {
      const { ann, bob, channel } = await scene();
      const timeIn = (zone: string, ms: number) =>
        new Date(clock.now() + ms).toLocaleTimeString("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" });
      const zone = "Pacific/Auckland";
      const push = { quiet_from: timeIn(zone, -3_600_000), quiet_to: timeIn(zone, 3_600_000), zone };
      await ann.put(SETTINGS, { push });
      await say(bob, channel, `@${ann.username}`);
      await pass();
      expect(service.requests).toBe(0);
      await ann.put(SETTINGS, { push: { zone: "Europe/London" } });
      await say(bob, channel, `@${ann.username}`);
      await pass();
      expect(service.pushed).toHaveLength(1);
    });
  });

  describe("a subscription", () => {
    const left = async (who: Named) => {
      const { subscriptions } = (await (await logIn(server.url, who.username)).get(SUBSCRIPTIONS)).body;
      return subscriptions.length;
    };

    test("is listed without its secrets, and is ended by its user", async () => {
      const { ann, bob } = await scene();
      const listed = await ann.get(SUBSCRIPTIONS);
      expect(Check(PushSubscriptionsResponse, listed.body)).toBeTrue();
      const [{ subscription_id, ...shown }] = listed.body.subscriptions;
      expect(shown).toMatchObject({
        is_current: true,
        service: expect.stringContaining("127.0.0.1"),
        last_sent_at: null,
      });
      expect(Object.keys(shown)).not.toContain("endpoint");
      expectError(await bob.delete(`${SUBSCRIPTIONS}/${subscription_id}`), 404, "subscription_not_found");
      expect((await ann.delete(`${SUBSCRIPTIONS}/${subscription_id}`)).body).toMatchObject({ subscription_id });
      expect(await left(ann)).toBe(0);
    });

    test("ends with its session, and with it what was to be sent", async () => {
      const { ann, bob, channel } = await scene();
      await say(bob, channel, `@${ann.username}`);
      await notificationsConsumer(server.ctx).flush();
      expect(await queued()).toHaveLength(1);
      await ann.post("/api/auth/logout");
      expect([await left(ann), await queued()]).toEqual([0, []]);
      await pass();
      expect(service.requests).toBe(0);
    });

    test.each([
      ["revoked", (ann: Named) => logIn(server.url, ann.username).then((other) => other.delete("/api/auth/sessions"))],
      [
        "ended by a new password",
        async (ann: Named) => {
          const other = await logIn(server.url, ann.username);
          return other.put(`/api/user/${ann.username}`, { password: PASSWORD, current_password: PASSWORD });
        },
      ],
    ])("ends when its session is %s", async (_, act) => {
      const { ann } = await scene();
      const answer = await act(ann);
      expect(answer.status).toBe(200);
      expect(await left(ann)).toBe(0);
    });

    test("moves to the session that names its endpoint again, also of another user", async () => {
      const { ann, bob } = await scene();
      const { public_key } = (await ann.get("/api/push/key")).body;
      const browser = service.browser(public_key);
      await ann.post(SUBSCRIPTIONS, browser);
      await ann.post(SUBSCRIPTIONS, browser);
      expect(await left(ann)).toBe(2);
      await bob.post(SUBSCRIPTIONS, browser);
      expect([await left(ann), await left(bob)]).toEqual([1, 1]);
    });

    test("replaces the oldest of ten", async () => {
      const ann = await fresh();
      const ids: number[] = [];
      for (let n = 0; n < 11; n += 1) ids.push(await subscribe(ann));
      const { subscriptions } = (await ann.get(SUBSCRIPTIONS)).body;
      expect(subscriptions.map(({ subscription_id }: { subscription_id: number }) => subscription_id)).toEqual(
        ids.slice(1).reverse(),
      );
    });

    test.each([
      ["invalid_url", { endpoint: "https://10.0.0.1/push" }],
      ["invalid_url", { endpoint: "http://push.example/" }],
      ["invalid_url", { endpoint: "https://user@8.8.8.8/" }],
      ["invalid_url", { endpoint: "nonsense" }],
      ["invalid_request", { keys: { ...pushKeys(), auth: "short" } }],
      ["invalid_request", { keys: { ...pushKeys(), p256dh: Buffer.alloc(65, 4).toString("base64url") } }],
      ["invalid_request", { endpoint: `https://8.8.8.8/${"x".repeat(1_100)}` }],
    ])("is refused with %s: %j", async (code, body) => {
      const ann = await fresh();
      const valid = { endpoint: "https://8.8.8.8/push", keys: pushKeys() };
      expectError(await ann.post(SUBSCRIPTIONS, { ...valid, ...body }), 400, code as "invalid_url");
    });
  });

  describe("a push service", () => {
    test.each([404, 410])("that answers %i ends the subscription", async (status) => {
      const { ann, bob, channel } = await scene();
      service.answer = () => new Response(null, { status });
      await say(bob, channel, `@${ann.username}`);
      await pass();
      expect((await ann.get(SUBSCRIPTIONS)).body.subscriptions).toEqual([]);
    });

    test("that fails gets the message three times at most", async () => {
      const { ann, bob, channel } = await scene();
      service.answer = () => new Response("busy", { status: 503 });
      await say(bob, channel, `@${ann.username}`);
      for (const ms of [11_000, 5_000, 6_000, 61_000, 600_000]) await pass(ms);
      expect(service.requests).toBe(3);
      expect(await queued()).toEqual([]);
      expect((await ann.get(SUBSCRIPTIONS)).body.subscriptions).toHaveLength(1);
      service.answer = () => new Response(null, { status: 201 });
      await say(bob, channel, `@${ann.username}`);
      await pass();
      expect(service.pushed).toHaveLength(1);
    });

    test("that redirects inward is not followed", async () => {
      const { ann, bob, channel } = await scene();
      service.answer = () => new Response(null, { status: 307, headers: { location: "http://127.0.0.1:1/" } });
      await say(bob, channel, `@${ann.username}`);
      await pass();
      expect(service.requests).toBe(1);
      expect(await queued()).toHaveLength(1);
      await ann.post("/api/auth/logout");
    });

    test("that does not answer delays nobody else's messages", async () => {
      const slow = await scene();
      const { promise, resolve } = Promise.withResolvers<Response>();
      service.answer = () => promise;
      const stuck = service;
      await say(slow.bob, slow.channel, `@${slow.ann.username}`);
      await notificationsConsumer(server.ctx).flush();
      clock.ahead += 11_000;
      await pusher(server.ctx).pass();
      await eventually("it has arrived", () => stuck.requests === 1);
      service = new PushService();
      const { ann, bob, channel } = await scene();
      await say(bob, channel, `@${ann.username}`);
      await notificationsConsumer(server.ctx).flush();
      clock.ahead += 11_000;
      await pusher(server.ctx).pass();
      await eventually("the other one arrives", () => service.pushed.length === 1);
      resolve(new Response(null, { status: 201 }));
      await pusher(server.ctx).settled();
      expect(stuck.pushed).toHaveLength(1);
      stuck[Symbol.dispose]();
    });
  });
});
