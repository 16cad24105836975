import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { PUSH_PAYLOAD_BYTES } from "@parley/protocol/limits";
import { PushPayload } from "@parley/protocol/notifications";
import { Check } from "typebox/schema";
import { notificationsConsumer } from "../../src/notifications/start.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { EGRESS, PushScene } from "../support/push-scene.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

const SETTINGS = "/api/notifications/settings";

/** Web Push (protocol §13.5), to a push service of this test that decrypts what it gets. */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const server = await forAllTests(startTestServer(EGRESS, { database: await open(), clock }));
  const scene = new PushScene(server, clock);
  beforeEach(() => scene.newService());
  afterEach(() => scene.service[Symbol.dispose]());

  test("sends a mention, encrypted for the browser and signed by the scene.server, without its text", async () => {
    const { ann, bob, channel } = await scene.people();
    const message_id = await scene.say(bob, channel, `secret plans, @${ann.username}`);
    await scene.pass(5_000);
    expect(scene.service.pushed).toEqual([]);
    await scene.pass(6_000);
    const [pushed] = scene.service.pushed;
    expect(scene.service.pushed).toHaveLength(1);
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
    await scene.pass();
    expect(scene.service.pushed).toHaveLength(1);
  });

  test("contains the beginning of the text if the user allows previews, and stays below the limit", async () => {
    const { ann, bob, channel } = await scene.people();
    await ann.put(SETTINGS, { push: { previews: true } });
    await scene.say(bob, channel, `@${ann.username} **${"漢".repeat(3_900)}**`);
    await scene.pass();
    const text = scene.service.pushed[0]?.payload.text ?? "";
    expect(text.startsWith(`@${ann.username} 漢`)).toBeTrue();
    expect([...text]).toHaveLength(200);
    expect(Buffer.byteLength(JSON.stringify(scene.service.pushed[0]?.payload))).toBeLessThanOrEqual(PUSH_PAYLOAD_BYTES);
  });

  test("sends each message of a channel of the level all, and of no other", async () => {
    const { ann, bob, channel } = await scene.people();
    await scene.say(bob, channel, "nobody is meant");
    await scene.pass();
    expect(scene.service.pushed).toEqual([]);
    const loud = await scene.newChannel(bob, ann);
    await ann.put(SETTINGS, { channels: { [loud]: { level: "all" } } });
    const message_id = await scene.say(bob, loud, "hello");
    await scene.say(ann, loud, "my own");
    await scene.pass();
    expect(scene.service.pushed).toMatchObject([{ payload: { kind: "message", notification_id: null, message_id } }]);
  });

  test("sends nothing that the user has read elsewhere, nor what was deleted", async () => {
    const { ann, bob, channel } = await scene.people();
    await scene.say(bob, channel, `@${ann.username}`);
    await ann.post(`/api/channels/${channel}/read`);
    await eventually("it is read", async () => (await ann.get("/api/notifications")).body.unread === 0);
    await scene.pass();
    const doomed = await scene.say(bob, channel, `@${ann.username}`);
    await notificationsConsumer(scene.server.ctx).flush();
    await bob.delete(`/api/messages/${doomed}`);
    await scene.pass();
    expect(scene.service.requests).toBe(0);
    expect(await scene.queued()).toEqual([]);
  });

  test("sends nothing while a page of the user is visible", async () => {
    const { ann, bob, channel } = await scene.people();
    {
      await using page = await LiveSocket.open(scene.server.url, ann.credential);
      await page.ask("page:visible", { visible: true });
      await scene.say(bob, channel, `@${ann.username}`);
      await scene.pass();
      expect(scene.service.requests).toBe(0);
      await page.ask("page:visible", { visible: false });
      await scene.say(bob, channel, `@${ann.username}`);
      await scene.pass();
      expect(scene.service.pushed).toHaveLength(1);
      await page.ask("page:visible", { visible: true });
    }
    // A page that is closed is not visible.
    await scene.say(bob, channel, `@${ann.username}`);
    await eventually("it arrives", async () => {
      await scene.pass(61_000);
      return scene.service.pushed.length === 2;
    });
  });

  test("folds what follows within a minute, and shows the newest", async () => {
    const { ann, bob, channel } = await scene.people();
    await scene.say(bob, channel, `@${ann.username} 1`);
    await scene.pass();
    for (const n of [2, 3]) await scene.say(bob, channel, `@${ann.username} ${n}`);
    const last = await scene.say(bob, channel, `@${ann.username} 4`);
    await scene.pass();
    expect(scene.service.pushed).toHaveLength(1);
    await scene.pass(50_000);
    expect(scene.service.pushed).toHaveLength(2);
    expect(scene.service.pushed[1]?.payload).toMatchObject({ message_id: last, unread: 4 });
    expect(scene.service.pushed[1]?.headers.get("topic")).toBe(scene.service.pushed[0]?.headers.get("topic") ?? "");
  });

  describe("is quiet", () => {
    test("until muted_until, and sends nothing afterwards", async () => {
      const { ann, bob, channel } = await scene.people();
      await ann.put(SETTINGS, { muted_until: new Date(clock.now() + 60_000).toISOString() });
      await scene.say(bob, channel, `@${ann.username}`);
      await scene.pass();
      await scene.pass(120_000);
      expect(scene.service.requests).toBe(0);
      await scene.say(bob, channel, `@${ann.username}`);
      await scene.pass();
      expect(scene.service.pushed).toHaveLength(1);
    });

    test("in the quiet hours of the user's time zone", async () => {
      const { ann, bob, channel } = await scene.people();
      const timeIn = (zone: string, ms: number) =>
        new Date(clock.now() + ms).toLocaleTimeString("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" });
      const zone = "Pacific/Auckland";
      const push = { quiet_from: timeIn(zone, -3_600_000), quiet_to: timeIn(zone, 3_600_000), zone };
      await ann.put(SETTINGS, { push });
      await scene.say(bob, channel, `@${ann.username}`);
      await scene.pass();
      expect(scene.service.requests).toBe(0);
      await ann.put(SETTINGS, { push: { zone: "Europe/London" } });
      await scene.say(bob, channel, `@${ann.username}`);
      await scene.pass();
      expect(scene.service.pushed).toHaveLength(1);
    });
  });
});
