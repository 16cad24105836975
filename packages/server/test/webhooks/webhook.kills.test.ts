import { expect, test } from "bun:test";
import { temporaryFolder } from "../support/config.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { eventually, signUp } from "../support/servers/test-server.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

/** 1,000 and more are for a long run: `PARLEY_TEST_EVENTS=1000 bun test …/webhook.kills.test.ts`. */
const EVENTS = Number(process.env.PARLEY_TEST_EVENTS ?? 200);
const KILLS = 3;
const PATIENCE_MS = 120_000;

/** Guarantees P25: kill -9 between commit and delivery, and a receiver that fails half of the time, lose and double nothing. */
test("every event arrives, and has one delivery, whatever is killed and whatever fails", async () => {
  using receiver = new WebhookReceiver();
  const refused = new Set<string>();
  receiver.answer = ({ id }, nth) => {
    // Half of the events are refused once.
    if (nth % 2 === 0 && !refused.has(id)) {
      refused.add(id);
      return new Response(null, { status: 503 });
    }
    return new Response(null, { status: 204 });
  };
  await using server = new ChildServer(temporaryFolder(), freePort(), { PARLEY_EGRESS_ALLOW: "127.0.0.0/8" });
  await server.start();
  const ann = await signUp(server.url, "ann");
  const { channel_id } = (await ann.post("/api/channels", { name: "Room" })).body;
  const created = await ann.post("/api/webhooks", { url: receiver.url, events: ["message.new"], channel_id });
  expect(created.status).toBe(201);
  const { webhook_id } = created.body.webhook;
  const sent: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    for (let nth = 0; nth < EVENTS / (KILLS + 1); nth++) sent.push(await say());
    // Its events are committed and perhaps half of them delivered.
    await server.end("SIGKILL");
    await server.start();
  }
  while (sent.length < EVENTS) sent.push(await say());

  async function say(): Promise<number> {
    const answer = await ann.post("/api/messages", { channel_id, content: `message ${sent.length}` });
    expect(answer.status).toBe(201);
    return answer.body.seq;
  }
  const delivered = async (): Promise<number[]> => {
    const seqs: number[] = [];
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const path = `/api/webhooks/${webhook_id}/deliveries?limit=200&before=${before}`;
      const { deliveries, has_more } = (await ann.get(path)).body;
      for (const { seq, status } of deliveries) if (status === "delivered") seqs.push(seq);
      if (!has_more) return seqs;
      before = deliveries.at(-1).delivery_id;
    }
  };
  await eventually("all are delivered", async () => (await delivered()).length >= EVENTS, PATIENCE_MS);
  expect((await delivered()).toSorted((a, b) => a - b)).toEqual(sent);
  const arrived = new Set(receiver.received.map(({ body }) => body.data.seq));
  expect(sent.filter((seq) => !arrived.has(seq))).toEqual([]);
  // One id for each event, at every try.
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(EVENTS);
});
