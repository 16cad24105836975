import { afterAll, beforeAll, expect, test } from "bun:test";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { EGRESS, PushScene, SUBSCRIPTIONS } from "../support/push-scene.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

const USERS = 6;
const EACH = 10;

/** Requests that some accounts cause and that take long, beside those of others (protocol §13.12). */
eachDatabase((_, open) => {
  const clock = datedClock();
  let scene: PushScene;
  let hosts = 0;
  const held: (() => void)[] = [];
  /** A service that answers nothing before the test ends, under as many addresses as the test likes. */
  const slow = Bun.serve({
    hostname: "0.0.0.0",
    port: 0,
    idleTimeout: 0,
    async fetch() {
      await new Promise<void>((resolve) => held.push(resolve));
      return new Response(null, { status: 201 });
    },
  });
  const slowUrl = () => `http://127.1.${Math.floor(++hosts / 250)}.${1 + (hosts % 250)}:${slow.port}/slow`;
  const release = () => {
    for (const end of held.splice(0)) end();
  };

  beforeAll(async () => {
    scene = new PushScene(await startTestServer(EGRESS, { database: await open(), clock }), clock);
  }, 60_000);
  afterAll(async () => {
    release();
    await slow.stop(true);
    await scene.server[Symbol.asyncDispose]();
  }, 60_000);

  async function channelWithHook(url: string): Promise<() => Promise<number>> {
    const owner = await scene.fresh();
    const channel_id = await scene.newChannel(owner);
    const made = await owner.post("/api/webhooks", { channel_id, url, events: ["message.new"] });
    expect(made.status).toBe(201);
    return () => scene.say(owner, channel_id, "hello");
  }

  test("sixty slow push endpoints of six users do not delay somebody else's webhook or push", async () => {
    scene.newService();
    const bob = await scene.fresh();
    const channel = await scene.newChannel(bob);
    const victims = await Promise.all(Array.from({ length: USERS }, () => scene.fresh()));
    for (const user of victims) {
      await user.post(`/api/channels/${channel}/join`);
      const { public_key } = (await user.get("/api/push/key")).body;
      for (let n = 0; n < EACH; n += 1) {
        const { keys } = scene.service.browser(public_key);
        expect((await user.post(SUBSCRIPTIONS, { endpoint: slowUrl(), keys })).status).toBe(201);
      }
    }
    const ann = await scene.fresh();
    await ann.post(`/api/channels/${channel}/join`);
    using receiver = new WebhookReceiver();
    const say = await channelWithHook(receiver.url);
    await scene.say(bob, channel, victims.map(({ username }) => `@${username}`).join(" "));
    await scene.begin();
    await eventually("the slow endpoints are called", () => held.length >= USERS);
    await say();
    await eventually("the webhook is called", () => receiver.received.length === 1, 5_000);
    await scene.subscribe(ann);
    await scene.say(bob, channel, `@${ann.username}`);
    await scene.begin();
    await eventually("the other browser gets its push", () => scene.service.pushed.length === 1, 5_000);
    release();
    scene.service[Symbol.dispose]();
  });

  test("six users with slow webhooks do not delay somebody else's webhook", async () => {
    const slowOnes: (() => Promise<number>)[] = [];
    for (let n = 0; n < USERS; n += 1) {
      const owner = await scene.fresh();
      const channel_id = await scene.newChannel(owner);
      for (let each = 0; each < 5; each += 1)
        expect(
          (await owner.post("/api/webhooks", { channel_id, url: slowUrl(), events: ["message.new"] })).status,
        ).toBe(201);
      slowOnes.push(() => scene.say(owner, channel_id, "hello"));
    }
    using receiver = new WebhookReceiver();
    const say = await channelWithHook(receiver.url);
    for (const speak of slowOnes) await speak();
    await eventually("the slow webhooks are called", () => held.length >= USERS);
    await say();
    await eventually("the webhook is called", () => receiver.received.length === 1, 5_000);
    release();
  });
});
