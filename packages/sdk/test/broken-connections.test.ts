import { expect, test } from "bun:test";
import type { ChatMessage } from "@parley/protocol/models";
import { eventually, startTestServer } from "../../server/test/support/servers/test-server.ts";
import { ParleyClient } from "../src/client.ts";
import { QUICK, registered } from "./support/clients.ts";
import { chances, NastyProxy } from "./support/proxy.ts";
import { RecordingSubscriber } from "./support/recording-subscriber.ts";

const CUTS = 100;
const WRITERS = 4;

/** Writes one message after another until stopped; records the acknowledged ones. */
async function write(name: string, send: (content: string) => Promise<number>, until: () => boolean) {
  const acked = new Map<string, number>();
  for (let n = 1; !until(); n++) acked.set(`${name} ${n}`, await send(`${name} ${n}`));
  return acked;
}

test(`after ${CUTS} disconnects at any byte under ${WRITERS} writers, consumers see the server's order without gaps or duplicates`, async () => {
  await using server = await startTestServer();
  await using proxy = await NastyProxy.start(server.url);
  const seed = Number(process.env.PARLEY_TEST_SEED ?? 20_260_101);
  const chance = chances(seed);
  // Few bytes cut a handshake or a request, many the middle of frames.
  proxy.budget = () => (proxy.cuts < CUTS ? Math.floor(40 + 30_000 * chance() ** 2) : null);

  const writers = await Promise.all(
    Array.from({ length: WRITERS }, (_, n) => registered(server.url, `writer${n}`, { url: proxy.url, maxRetries: 50 })),
  );
  const { channel } = await new ParleyClient({ url: server.url }).channels.get(1);
  const first = channel.last_seq + 1;
  const live = writers.map((client) =>
    client.realtime({ backoff: QUICK, rateLimit: { frames: 6_000, windowMs: 10_000 } }),
  );
  // One consumer for each writer, on the writer's own connection, and a guest who only listens.
  const guest = new ParleyClient({ url: proxy.url, backoff: QUICK, maxRetries: 50 });
  const consumers = [...writers, guest].map(
    (client, n) => new RecordingSubscriber(client, live[n] ?? client.realtime({ backoff: QUICK })),
  );
  for (const consumer of consumers) await consumer.isJoined();

  const isDone = () => proxy.cuts >= CUTS;
  const acked = await Promise.all(
    writers.map((client, n) => {
      // One writes over HTTP, the others over their sockets.
      const sendOverHttp = (content: string) => client.messages.send({ channel_slug: "general", content });
      const sendLive = (content: string) => live[n]?.send({ channel_slug: "general", content });
      return write(
        `writer${n}`,
        async (content) => (await (n === 0 ? sendOverHttp(content) : sendLive(content)))?.seq ?? 0,
        isDone,
      );
    }),
  );

  const stored: ChatMessage[] = await Array.fromAsync(
    new ParleyClient({ url: server.url }).messages.list({ channel_id: "general", after_seq: first - 1, limit: 200 }),
  );
  const last = stored.at(-1)?.seq ?? 0;
  for (const consumer of consumers) await consumer.reaches(last);
  const written = new Map(stored.map(({ content, seq }) => [content, seq]));
  expect(written.size).toBe(stored.length);
  expect(new Map(acked.flatMap((each) => [...each]))).toEqual(written);
  for (const consumer of consumers) {
    consumer.expectRun(first, last);
    expect(consumer.texts).toEqual(stored.map(({ content }) => content));
    consumer[Symbol.dispose]();
  }
  const rejoins = consumers.reduce((sum, { joins }) => sum + joins - 1, 0);
  expect(proxy.cuts).toBeGreaterThanOrEqual(CUTS);
  expect(rejoins).toBeGreaterThan(5);
  expect(stored.length).toBeGreaterThan(CUTS);
  await eventually("all connections are given back", () => server.ctx.presence.guestCount(1) === 0);
  console.log(JSON.stringify({ seed, cuts: proxy.cuts, messages: stored.length, rejoins, gaps: 0, doubles: 0 }));
});
