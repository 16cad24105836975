import { expect, test } from "bun:test";
import { join } from "node:path";
import { LockHolder } from "../support/faults/hold-lock.ts";
import { TestSocket } from "../support/servers/socket.ts";
import {
  type Answered,
  type Client,
  eventually,
  PASSWORD,
  startTestServer,
  type TestServer,
} from "../support/servers/test-server.ts";

/**
 * Another process locks the database (guarantees P19): requests wait briefly or are refused, and the event loop never
 * blocks.
 */
const BUSY_MS = 2_000;
/** Time that a busy machine may add. A server that waits for each request in turn takes far longer. */
const SLACK_MS = 1_500;

interface Timed extends Answered {
  ms: number;
}

async function timed(answer: Promise<Answered>): Promise<Timed> {
  const started = performance.now();
  const found = await answer;
  return { ...found, ms: performance.now() - started };
}

const fileOf = (server: TestServer): string => join(server.config.dataDir, "parley.sqlite");

let round = 0;
function writes(ann: Client, guest: Client): Promise<Timed>[] {
  round++;
  return [
    ...Array.from({ length: 6 }, (_, n) =>
      ann.post("/api/messages", { channel_slug: "general", content: "x", client_msg_id: `m${round}-${n}` }),
    ),
    ...Array.from({ length: 3 }, (_, n) => ann.post("/api/channels", { name: `room ${round} ${n}` })),
    guest.post("/api/auth/login", { username: "ann", password: PASSWORD }),
  ].map(timed);
}

const reads = (guest: Client): Promise<Timed>[] =>
  [
    "/api/messages?channel_id=general",
    "/api/messages?channel_id=general&after_seq=0&limit=1",
    "/api/user/ann",
    "/api/channels",
  ].map((path) => timed(guest.get(path)));

/** Measures whether the event loop responds until told to stop; returns the slowest response. */
async function watchLoop(guest: Client, isOver: () => boolean): Promise<number> {
  let slowest = 0;
  while (!isOver()) slowest = Math.max(slowest, (await timed(guest.get("/livez"))).ms);
  return slowest;
}

test("a short lock is waited for, and everything succeeds", async () => {
  await using server = await startTestServer();
  const ann = await server.user("ann");
  await using holder = await LockHolder.take(fileOf(server));
  const answers = Promise.all([...writes(ann, server.guest), ...reads(server.guest)]);
  for (let turn = 0; turn < 20; turn++) expect((await server.guest.get("/livez")).status).toBe(200);
  await holder.release();
  for (const { status } of await answers) expect([200, 201]).toContain(status);
});

test("with a lasting lock, writes are refused with storage_unavailable in time, reads are answered, and all recovers", async () => {
  await using server = await startTestServer();
  const ann = await server.user("ann");
  using socket = await TestSocket.open(server.url, ann.credential);
  await socket.command("channel:join", { channel_slug: "general" });
  let isOver = false;
  let loop: Promise<number>;
  const slowest: number[] = [];
  const acked: string[] = [];
  {
    await using holder = await LockHolder.take(fileOf(server));
    loop = watchLoop(server.guest, () => isOver);
    for (let wave = 0; wave < 2; wave++) {
      const [written, read] = [writes(ann, server.guest), reads(server.guest)];
      const frame = socket.command("message:send", { channel_slug: "general", content: "x" });
      for (const answer of await Promise.all(written)) {
        expect([answer.status, answer.body.code]).toEqual([503, "storage_unavailable"]);
        expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
        slowest.push(answer.ms);
      }
      for (const { status, ms } of await Promise.all(read)) {
        expect(status).toBe(200);
        slowest.push(ms);
      }
      expect(await frame).toMatchObject({ event: "error", data: { code: "storage_unavailable" } });
      const readiness = await timed(server.guest.get("/readyz"));
      expect(readiness).toMatchObject({ status: 503, body: { details: { reason: "storage_unavailable" } } });
      slowest.push(readiness.ms);
      expect(Math.max(...slowest)).toBeLessThan(BUSY_MS + SLACK_MS);
    }
    await holder.release();
  }
  await eventually("writing works again", async () => {
    const key = `after-${acked.length}`;
    const { status } = await ann.post("/api/messages", { channel_slug: "general", content: "x", client_msg_id: key });
    if (status === 201) acked.push(key);
    return status === 201;
  });
  await eventually("it is ready", async () => (await server.guest.get("/readyz")).status === 200);
  isOver = true;
  expect(await loop).toBeLessThan(BUSY_MS / 2);
  const { body } = await server.guest.get("/api/messages?channel_id=general&after_seq=0");
  expect(body.messages.map(({ client_msg_id }: { client_msg_id: string }) => client_msg_id)).toEqual(acked);
  console.log(JSON.stringify({ slowest_ms: Math.round(Math.max(...slowest)), loop_ms: Math.round(await loop) }));
});
