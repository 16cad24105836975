import { afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { WebhookEvent } from "@parley/protocol/webhooks";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Compile } from "typebox/compile";
import { webhookSender } from "../../src/webhooks/start.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { say } from "../support/say.ts";
import { Client, eventually, startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";
import { isSignedBy, WebhookReceiver } from "../support/webhook-receiver.ts";

const HOUR_MS = 3_600_000;

/** Webhooks that the server calls (protocol §12.5), to a receiver of this test. */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  let receiver: WebhookReceiver;
  let count = 0;
  const server = await forAllTests(
    startTestServer({ egressAllow: ["127.0.0.0/8"], agentLoopLimit: 0 }, { database: await open(), clock }),
  );
  const ann = await server.user("ann");
  beforeEach(() => {
    receiver = new WebhookReceiver();
  });
  afterEach(() => receiver[Symbol.dispose]());

  const room = async (): Promise<number> =>
    (await ann.post("/api/channels", { name: `Room ${++count}` })).body.channel_id;
  const hookOf = async (owner: { channel_id: number } | { agent_id: number }, events: string[], who = ann) => {
    const answer = await who.post("/api/webhooks", { url: receiver.url, events, ...owner });
    expect(answer.status).toBe(201);
    return { id: answer.body.webhook.webhook_id as number, secret: answer.body.secret as string, answer };
  };
  const arrived = (wanted: number) => eventually(`${wanted} arrive`, () => receiver.received.length >= wanted);
  const record = async (id: number, who = ann) => (await who.get(`/api/webhooks/${id}`)).body.webhook;
  const deliveries = async (id: number, query = "") =>
    (await ann.get(`/api/webhooks/${id}/deliveries${query}`)).body.deliveries;
  const later = async (ms: number) => {
    clock.ahead += ms;
    await webhookSender(server.ctx).pass();
  };

  test("get what they ask for, in order, signed as Standard Webhooks says", async () => {
    const channel_id = await room();
    const { id, secret, answer } = await hookOf({ channel_id }, ["message.new", "message.delete"]);
    expect(answer.body.webhook).toMatchObject({ kind: "channel", status: "active", created_by: "ann", backlog: 0 });
    const first = await say(ann, channel_id, "one");
    await ann.put(`/api/messages/${first.message_id}`, { content: "uno" });
    await say(ann, channel_id, "two");
    await ann.delete(`/api/messages/${first.message_id}`);
    await arrived(3);
    expect(receiver.types).toEqual(["message.new", "message.new", "message.delete"]);
    const [one, two] = receiver.received;
    if (one === undefined || two === undefined) throw new Error("Two requests arrived.");
    expect(Compile(WebhookEvent).Errors(one.body)).toEqual([]);
    expect(two.body.data).toMatchObject({ channel_id, epoch: server.ctx.epoch, chat_message: { content: "two" } });
    // The text of a deleted message is not sent any more, wherever its event was.
    expect(JSON.stringify(two.body)).not.toContain("uno");
    expect(isSignedBy(two, secret)).toBeTrue();
    expect(() => new StandardWebhook(secret).verify(two.text, Object.fromEntries(two.headers))).not.toThrow();
    const [newest] = await eventually("all are delivered", async () => {
      const rows = await deliveries(id);
      return rows[0].status === "delivered" ? rows : null;
    });
    expect(newest).toMatchObject({ event: "message.delete", status: "delivered", tries: 1, response_status: 204 });
    expect(`msg_${newest.delivery_id}`).toBe(receiver.received.at(-1)?.id ?? "");
    expect(await record(id)).toMatchObject({ status: "active", backlog: 0, last_success_at: expect.any(String) });
    expect(JSON.stringify((await ann.get(`/api/webhooks?channel_id=${channel_id}`)).body)).not.toContain("whsec_");
  });

  test("are tried again on schedule beside newer events, keep Retry-After, and die at the end", async () => {
    const channel_id = await room();
    const { id } = await hookOf({ channel_id }, ["message.new"]);
    let refuses = true;
    receiver.answer = ({ text }) =>
      text.includes("bad") && refuses
        ? new Response("no\0", { status: 500, headers: { "retry-after": "3000" } })
        : new Response("ok");
    await say(ann, channel_id, "bad");
    await say(ann, channel_id, "good");
    await arrived(2);
    const [good, bad] = await eventually("both are concluded", async () => {
      const rows = await deliveries(id);
      return rows.every(({ tries }: { tries: number }) => tries === 1) ? rows : null;
    });
    expect(good).toMatchObject({ status: "delivered", response_body: "ok" });
    expect(bad).toMatchObject({ status: "waiting", response_status: 500, response_body: "no�", result: "answered" });
    expect(Date.parse(bad.next_try_at) - clock.now()).toBeGreaterThan(2_900_000);
    expect(await record(id)).toMatchObject({ backlog: 1, last_failure_at: expect.any(String) });
    receiver.answer = ({ text }) => new Response(null, { status: text.includes("bad") && refuses ? 500 : 200 });
    for (let tries = 2; tries <= 8; tries++) {
      await later(13 * HOUR_MS);
      await eventually(`try ${tries}`, async () => (await deliveries(id)).at(-1).tries === tries);
    }
    expect((await deliveries(id, "?status=dead"))[0]).toMatchObject({ tries: 8, status: "dead", next_try_at: null });
    const ids = receiver.received.filter(({ text }) => text.includes("bad")).map((each) => each.id);
    expect([ids.length, new Set(ids).size]).toEqual([8, 1]);
    refuses = false;
    const again = await ann.post(`/api/webhooks/${id}/deliveries/${bad.delivery_id}/redeliver`);
    expect(again.body.delivery).toMatchObject({ status: "waiting", delivery_id: bad.delivery_id });
    await eventually("it is delivered", async () => (await deliveries(id, "?status=delivered")).length === 2);
  });

  test("end by 410, and after five days without a success, and tell who made them", async () => {
    const channel_id = await room();
    const { id } = await hookOf({ channel_id }, ["message.new"]);
    receiver.answer = () => new Response(null, { status: 410 });
    await say(ann, channel_id, "x");
    await eventually("it is disabled", async () => (await record(id)).disabled_reason === "gone");
    expect((await ann.post(`/api/webhooks/${id}/test`)).body.code).toBe("webhook_disabled");
    const notices = async () => (await ann.get("/api/security-notices")).body.notices;
    expect((await notices())[0]).toMatchObject({
      kind: "webhook_disabled",
      details: { webhook_id: id, reason: "gone" },
    });
    await say(ann, channel_id, "while it is off");
    receiver.answer = () => new Response(null, { status: 500 });
    expect((await ann.put(`/api/webhooks/${id}`, { status: "active" })).body.webhook).toMatchObject({
      status: "active",
    });
    // What happened meanwhile is not lost.
    await eventually("it fails", async () => (await record(id)).status === "failing");
    await later(5 * 24 * HOUR_MS);
    await eventually("it is disabled", async () => (await record(id)).disabled_reason === "failing");
  });

  test("have two signatures while a secret is replaced", async () => {
    const channel_id = await room();
    const { id, secret } = await hookOf({ channel_id }, ["message.new"]);
    const rotated = (await ann.post(`/api/webhooks/${id}/rotate-secret`, { grace_seconds: 60 })).body.secret;
    await say(ann, channel_id, "one");
    await arrived(1);
    await later(61_000);
    await say(ann, channel_id, "two");
    await arrived(2);
    const signed = receiver.received.map((each) => [secret, rotated].map((key) => isSignedBy(each, key)));
    expect(signed).toEqual([
      [true, true],
      [false, true],
    ]);
  });

  test("get test events, and replays of the log as new deliveries", async () => {
    const channel_id = await room();
    const { id } = await hookOf({ channel_id }, ["message.new"]);
    const first = await say(ann, channel_id, "one");
    await say(ann, channel_id, "two");
    await arrived(2);
    expect((await ann.post(`/api/webhooks/${id}/test`)).body.delivery).toMatchObject({
      event: "webhook.test",
      seq: null,
    });
    await arrived(3);
    expect((await ann.post(`/api/webhooks/${id}/replay`, { after_seq: first.seq })).status).toBe(200);
    await arrived(4);
    expect(receiver.received[3]?.body.data.seq).toBe(first.seq + 1);
    expect(new Set(receiver.received.map((each) => each.id)).size).toBe(4);
    expect((await ann.post(`/api/webhooks/${id}/replay`, { after_seq: 999_999 })).status).toBe(200);
    await say(ann, channel_id, "three");
    await arrived(5);
  });

  test("stop when who made them loses the channel, and go on when another admin takes them over", async () => {
    const bob = await server.user("bob");
    const channel_id = await room();
    await bob.post(`/api/channels/${channel_id}/join`);
    const path = `/api/channels/${channel_id}/members/bob`;
    expect(
      (await bob.post("/api/webhooks", { url: receiver.url, events: ["message.new"], channel_id })).body.code,
    ).toBe("forbidden");
    await ann.put(path, { role: "admin" });
    const { id } = await hookOf({ channel_id }, ["message.new"], bob);
    await ann.put(path, { role: "member" });
    await say(ann, channel_id, "secret");
    await eventually("it is disabled", async () => (await record(id)).disabled_reason === "maker_lost_rights");
    expect((await bob.get(`/api/webhooks/${id}`)).body.code).toBe("forbidden");
    expect(receiver.received).toEqual([]);
    await ann.put(`/api/webhooks/${id}`, { status: "active" });
    await arrived(1);
    expect(await record(id)).toMatchObject({ created_by: "ann" });
    await ann.delete(`/api/channels/${channel_id}`);
    expect((await ann.get(`/api/webhooks/${id}`)).body.code).toBe("webhook_not_found");
  });

  test("refuse other events, addresses inside, and more than ten", async () => {
    const channel_id = await room();
    const create = (fields: object) =>
      ann.post("/api/webhooks", { url: receiver.url, events: ["message.new"], channel_id, ...fields });
    const unknown = await create({ events: ["message.new", "inbox.new"] });
    expect([unknown.body.code, unknown.body.details.events.includes("message.new")]).toEqual(["unknown_event", true]);
    for (const url of [
      "https://10.0.0.1/",
      "http://8.8.8.8/",
      "https://127.0.0.1:22/",
      "https://a@127.0.0.1:8080/",
      "x",
    ])
      expect((await create({ url })).body.code).toBe("invalid_url");
    expect((await create({ agent_id: 1 })).body.code).toBe("invalid_request");
    for (let nth = 0; nth < 10; nth++) expect((await create({})).status).toBe(201);
    expect((await create({})).body.code).toBe("webhook_limit_reached");
    const guest = await server.guest.get(`/api/webhooks?channel_id=${channel_id}`);
    expect(guest.body.code).toBe("session_required");
  });

  describe("of agents", () => {
    let ruth: Client;
    beforeAll(async () => {
      ruth = await staff(server, "ruth", 2);
    });
    const agentOf = async () => {
      const name = `Helper ${++count}`;
      const { api_key, agent_id } = (await ruth.post("/api/agents", { agent_name: name })).body;
      const client = new Client(server.url, { authorization: `Bearer ${api_key}` });
      return { client, name, agent_id: agent_id as number };
    };

    test("get their inbox, and the reply in the answer is sent once and acknowledges", async () => {
      const { client, name, agent_id } = await agentOf();
      const { id } = await hookOf({ agent_id }, ["inbox.new"], client);
      expect((await ruth.get("/api/security-notices")).body.notices[0]).toMatchObject({ kind: "agent_webhook" });
      const channel_id = await room();
      receiver.answer = (_, nth) =>
        nth === 1 ? new Response(null, { status: 503 }) : Response.json({ reply: "hello, ann" });
      const asked = await say(ann, channel_id, `@${name} hi`);
      await arrived(1);
      expect(receiver.received[0]?.body).toMatchObject({
        type: "inbox.new",
        data: { item: { kind: "mention", agent_name: name } },
      });
      await later(7_000);
      await arrived(2);
      const reply = await eventually("the reply", async () => {
        const { messages } = (await ann.get(`/api/messages?channel_id=${channel_id}`)).body;
        return messages.find((message: { agent_name: string | null }) => message.agent_name === name);
      });
      expect(reply).toMatchObject({
        content: "hello, ann",
        reply_to_id: asked.message_id,
        client_msg_id: expect.stringMatching(/^webhook-\d+$/),
      });
      await eventually("it is acknowledged", async () => (await client.get("/api/agenthub/inbox")).body.count === 0);
      const { delivery_id } = (await ruth.get(`/api/webhooks/${id}/deliveries`)).body.deliveries[0];
      await ruth.post(`/api/webhooks/${id}/deliveries/${delivery_id}/redeliver`);
      await arrived(3);
      await webhookSender(server.ctx).settled();
      const { messages } = (await ann.get(`/api/messages?channel_id=${channel_id}`)).body;
      expect(messages.filter((message: { agent_name: string | null }) => message.agent_name === name)).toHaveLength(1);
    });

    test("tell of a pause at once, and of the rest when it ends", async () => {
      const { name, agent_id } = await agentOf();
      await hookOf({ agent_id }, ["inbox.new", "agent.paused"], ruth);
      await ruth.put(`/api/agents/${agent_id}`, { paused: true });
      await arrived(1);
      await say(ann, await room(), `@${name} are you there`);
      await webhookSender(server.ctx).pass();
      await webhookSender(server.ctx).settled();
      expect(receiver.types).toEqual(["agent.paused"]);
      await ruth.put(`/api/agents/${agent_id}`, { paused: false });
      await arrived(4);
      expect(receiver.types).toEqual(["agent.paused", "inbox.new", "inbox.new", "inbox.new"]);
    });

    test("belong to the agent and its verified owner, at most three", async () => {
      const { client, agent_id } = await agentOf();
      const { client: other } = await agentOf();
      for (const who of [ann, other])
        expect((await who.get(`/api/webhooks?agent_id=${agent_id}`)).body.code).toBe("forbidden");
      const { id } = await hookOf({ agent_id }, ["inbox.new"], ruth);
      expect((await client.get("/api/webhooks")).body.webhooks).toHaveLength(1);
      expect((await other.delete(`/api/webhooks/${id}`)).body.code).toBe("forbidden");
      expect((await client.post(`/api/webhooks/${id}/replay`, { after_seq: 0 })).body.code).toBe("invalid_request");
      const more = { url: receiver.url, events: ["inbox.new"], agent_id };
      expect([
        (await client.post("/api/webhooks", more)).status,
        (await client.post("/api/webhooks", more)).status,
      ]).toEqual([201, 201]);
      expect((await client.post("/api/webhooks", more)).body.code).toBe("webhook_limit_reached");
      expect((await client.delete(`/api/webhooks/${id}`)).status).toBe(200);
      expect((await client.get(`/api/webhooks/${id}`)).body.code).toBe("webhook_not_found");
    });
  });
});
