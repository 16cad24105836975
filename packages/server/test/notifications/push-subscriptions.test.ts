import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { notificationsConsumer, pusher } from "../../src/notifications/start.ts";
import { afterReads } from "../support/after-reads.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { pushKeys } from "../support/push-keys.ts";
import { EGRESS, PushScene, SUBSCRIPTIONS } from "../support/push-scene.ts";
import type { Named } from "../support/servers/test-server.ts";
import { eventually, logIn, PASSWORD, startTestServer } from "../support/servers/test-server.ts";

/** Push subscriptions and push services that misbehave (protocol §13.5). */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const server = await forAllTests(startTestServer(EGRESS, { database: await open(), clock }));
  const scene = new PushScene(server, clock);
  beforeEach(() => scene.newService());
  afterEach(() => scene.service[Symbol.dispose]());

  describe("a subscription", () => {
    const left = async (who: Named) => {
      const { subscriptions } = (await (await logIn(scene.server.url, who.username)).get(SUBSCRIPTIONS)).body;
      return subscriptions.length;
    };

    test("is listed without its secrets, and is ended by its user", async () => {
      const { ann, bob } = await scene.people();
      const listed = await ann.get(SUBSCRIPTIONS);
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
      const { ann, bob, channel } = await scene.people();
      await scene.say(bob, channel, `@${ann.username}`);
      await notificationsConsumer(scene.server.ctx).flush();
      expect(await scene.queued()).toHaveLength(1);
      await ann.post("/api/auth/logout");
      expect([await left(ann), await scene.queued()]).toEqual([0, []]);
      await scene.pass();
      expect(scene.service.requests).toBe(0);
    });

    test.each([
      [
        "revoked",
        (ann: Named) => logIn(scene.server.url, ann.username).then((other) => other.delete("/api/auth/sessions")),
      ],
      [
        "ended by a new password",
        async (ann: Named) => {
          const other = await logIn(scene.server.url, ann.username);
          return other.put(`/api/user/${ann.username}`, { password: PASSWORD, current_password: PASSWORD });
        },
      ],
    ])("ends when its session is %s", async (_, act) => {
      const { ann } = await scene.people();
      const answer = await act(ann);
      expect(answer.status).toBe(200);
      expect(await left(ann)).toBe(0);
    });

    test("moves to the session that names its endpoint again, also of another user", async () => {
      const { ann, bob } = await scene.people();
      const { public_key } = (await ann.get("/api/push/key")).body;
      const browser = scene.service.browser(public_key);
      await ann.post(SUBSCRIPTIONS, browser);
      await ann.post(SUBSCRIPTIONS, browser);
      expect(await left(ann)).toBe(2);
      await bob.post(SUBSCRIPTIONS, browser);
      expect([await left(ann), await left(bob)]).toEqual([1, 1]);
    });

    test("replaces the oldest of ten", async () => {
      const ann = await scene.fresh();
      const ids: number[] = [];
      for (let n = 0; n < 11; n += 1) ids.push(await scene.subscribe(ann));
      const { subscriptions } = (await ann.get(SUBSCRIPTIONS)).body;
      expect(subscriptions.map(({ subscription_id }: { subscription_id: number }) => subscription_id)).toEqual(
        ids.slice(1).reverse(),
      );
    });

    test.each(["base64", "base64url"] as const)(
      "takes keys in padded %s and stores them in base64url",
      async (form) => {
        const ann = await scene.fresh();
        // The bytes that the two alphabets write in different ways are among them.
        const auth = Buffer.concat([Buffer.from([0xfb, 0xff, 0xbf]), Buffer.alloc(13, 7)]);
        const key = Buffer.from(pushKeys().p256dh, "base64url");
        const padded = (bytes: Buffer) => bytes.toString(form).padEnd(Math.ceil(bytes.length / 3) * 4, "=");
        const keys = { p256dh: padded(key), auth: padded(auth) };
        const answer = await ann.post(SUBSCRIPTIONS, { endpoint: `https://8.8.8.8/${form}`, keys });
        expect(answer.status).toBe(201);
        const stored = await scene.server.ctx.db
          .selectFrom("push_subscriptions")
          .select(["p256dh", "auth"])
          .where("id", "=", answer.body.subscription.subscription_id)
          .executeTakeFirst();
        expect(stored).toEqual({ p256dh: key.toString("base64url"), auth: auth.toString("base64url") });
      },
    );

    test.each([
      ["invalid_url", { endpoint: "https://10.0.0.1/push" }],
      ["invalid_url", { endpoint: "http://push.example/" }],
      ["invalid_url", { endpoint: "https://user@8.8.8.8/" }],
      ["invalid_url", { endpoint: "nonsense" }],
      ["invalid_request", { keys: { ...pushKeys(), auth: "short" } }],
      ["invalid_request", { keys: { ...pushKeys(), p256dh: Buffer.alloc(65, 4).toString("base64url") } }],
      ["invalid_request", { endpoint: `https://8.8.8.8/${"x".repeat(1_100)}` }],
    ])("is refused with %s: %j", async (code, body) => {
      const ann = await scene.fresh();
      const valid = { endpoint: "https://8.8.8.8/push", keys: pushKeys() };
      expectError(await ann.post(SUBSCRIPTIONS, { ...valid, ...body }), 400, code as "invalid_url");
    });
  });

  describe("a push service", () => {
    test.each([404, 410])("that answers %i ends the subscription", async (status) => {
      const { ann, bob, channel } = await scene.people();
      scene.service.answer = () => new Response(null, { status });
      await scene.say(bob, channel, `@${ann.username}`);
      await scene.pass();
      expect((await ann.get(SUBSCRIPTIONS)).body.subscriptions).toEqual([]);
    });

    test("that fails gets the message three times at most", async () => {
      const { ann, bob, channel } = await scene.people();
      scene.service.answer = () => new Response("busy", { status: 503 });
      await scene.say(bob, channel, `@${ann.username}`);
      for (const ms of [11_000, 5_000, 6_000, 61_000, 600_000]) await scene.pass(ms);
      expect(scene.service.requests).toBe(3);
      expect(await scene.queued()).toEqual([]);
      expect((await ann.get(SUBSCRIPTIONS)).body.subscriptions).toHaveLength(1);
      scene.service.answer = () => new Response(null, { status: 201 });
      await scene.say(bob, channel, `@${ann.username}`);
      await scene.pass();
      expect(scene.service.pushed).toHaveLength(1);
    });

    test("gets a message once if it answers while the next pass reads the queue", async () => {
      const { ann, bob, channel } = await scene.people();
      const answer = Promise.withResolvers<Response>();
      scene.service.answer = () => answer.promise;
      await scene.say(bob, channel, `@${ann.username}`);
      await scene.begin();
      await eventually("it has arrived", () => scene.service.requests === 1);
      const [isRead, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      using _ = afterReads(scene.server.ctx.root, async ({ rows }) => {
        if (!rows.some((row) => row.endpoint !== undefined)) return;
        isRead.resolve();
        await mayGoOn.promise;
      });
      const passed = pusher(scene.server.ctx).pass();
      await isRead.promise;
      answer.resolve(new Response("busy", { status: 503 }));
      await pusher(scene.server.ctx).settled();
      mayGoOn.resolve();
      await passed;
      await pusher(scene.server.ctx).settled();
      expect(scene.service.requests).toBe(1);
      expect(await scene.queued()).toMatchObject([{ tries: 1 }]);
      await ann.delete(`${SUBSCRIPTIONS}/${(await ann.get(SUBSCRIPTIONS)).body.subscriptions[0].subscription_id}`);
    });

    test("that redirects inward is not followed", async () => {
      const { ann, bob, channel } = await scene.people();
      scene.service.answer = () => new Response(null, { status: 307, headers: { location: "http://127.0.0.1:1/" } });
      await scene.say(bob, channel, `@${ann.username}`);
      await scene.pass();
      expect(scene.service.requests).toBe(1);
      expect(await scene.queued()).toHaveLength(1);
      await ann.post("/api/auth/logout");
    });

    test("that does not answer delays nobody else's messages", async () => {
      const slow = await scene.people();
      const { promise, resolve } = Promise.withResolvers<Response>();
      scene.service.answer = () => promise;
      const stuck = scene.service;
      await scene.say(slow.bob, slow.channel, `@${slow.ann.username}`);
      await notificationsConsumer(scene.server.ctx).flush();
      clock.ahead += 11_000;
      await pusher(scene.server.ctx).pass();
      await eventually("it has arrived", () => stuck.requests === 1);
      scene.newService();
      const { ann, bob, channel } = await scene.people();
      await scene.say(bob, channel, `@${ann.username}`);
      await notificationsConsumer(scene.server.ctx).flush();
      clock.ahead += 11_000;
      await pusher(scene.server.ctx).pass();
      await eventually("the other one arrives", () => scene.service.pushed.length === 1);
      resolve(new Response(null, { status: 201 }));
      await pusher(scene.server.ctx).settled();
      expect(stuck.pushed).toHaveLength(1);
      stuck[Symbol.dispose]();
    });
  });
});
