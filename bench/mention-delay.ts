/**
 * `node_modules/.bin/bun bench/mention-delay.ts`: how late people learn that they are mentioned, on a server that others
 * keep busy. Fifty messages a second mention somebody, beside plain sends at a constant rate, then beside as many as the
 * server takes. With `--database postgres://…` on PostgreSQL (an empty database).
 */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { cpuSeconds } from "./procfs.ts";
import { parley, useBundle } from "./servers/parley.ts";
import { RunningServer, type ServerKind } from "./servers/server.ts";

const MENTIONED = 25;
const SENDERS = 8;
const MENTIONS_A_SECOND = 50;
const TICK_MS = 10;
/** Sends that may be under way at full load. */
const IN_FLIGHT = 32;
/** How long the last mentions may take to arrive. */
const PATIENCE_MS = 30_000;
const TEXT = "x".repeat(100);

const { values } = parseArgs({
  options: {
    database: { type: "string" },
    rate: { type: "string", default: "800" },
    seconds: { type: "string", default: "15" },
  },
});

/** When each mention was answered, by message id, and how long its notification took from then on. */
const sentAt = new Map<number, number>();
const seenAt = new Map<number, number>();

function listen(url: string, cookie: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/ws`, { headers: { cookie } });
  socket.onmessage = ({ data }) => {
    const { event, data: body } = JSON.parse(String(data));
    if (event === "notification:new") seenAt.set(body.notification.message_id, performance.now());
  };
  return new Promise((resolve, reject) => {
    socket.onopen = () => resolve(socket);
    socket.onerror = () => reject(new Error("a socket could not be opened"));
  });
}

async function send(server: RunningServer, cookie: string, channel_id: number, content: string): Promise<number> {
  const headers = { cookie, "content-type": "application/json" };
  const body = JSON.stringify({ channel_id, content });
  const answer = await fetch(`${server.url}/api/messages`, { method: "POST", headers, body });
  if (answer.status !== 201) throw new Error(`a send was answered ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { message_id: number }).message_id;
}

/** Calls `act` so often a second until the time is over; resolves when all calls are done. */
async function atRate(rate: number, ms: number, act: (n: number) => Promise<unknown>): Promise<number> {
  const began = performance.now();
  const acts: Promise<unknown>[] = [];
  for (let passed = 0; passed < ms; passed = performance.now() - began) {
    while (acts.length < (rate * passed) / 1_000) acts.push(act(acts.length));
    await Bun.sleep(TICK_MS);
  }
  await Promise.all(acts);
  return acts.length;
}

async function asFastAsPossible(ms: number, act: () => Promise<unknown>): Promise<number> {
  const until = performance.now() + ms;
  let count = 0;
  const worker = async (): Promise<void> => {
    for (; performance.now() < until; count += 1) await act();
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return count;
}

async function measure(): Promise<void> {
  useBundle();
  const database: Record<string, string> = values.database === undefined ? {} : { DATABASE_URL: values.database };
  const env = (folder: string) => ({ ...parley.env(folder), PARLEY_RATE_LIMITS: "off", ...database });
  const kind: ServerKind = { ...parley, env };
  await using server = await RunningServer.start(kind, { pinned: false });
  const cookies = await parley.sessions(server, MENTIONED + SENDERS);
  const sender = (n: number) => cookies[MENTIONED + (n % SENDERS)] ?? "";
  const made = await fetch(`${server.url}/api/channels`, {
    method: "POST",
    headers: { cookie: cookies[0] ?? "", "content-type": "application/json" },
    body: JSON.stringify({ name: "Bench" }),
  });
  const { channel_id } = (await made.json()) as { channel_id: number };
  const sockets = await Promise.all(cookies.slice(0, MENTIONED).map((cookie) => listen(server.url, cookie)));
  for (const cookie of cookies) {
    const answer = await fetch(`${server.url}/api/channels/${channel_id}/join`, {
      method: "POST",
      headers: { cookie },
    });
    if (!answer.ok) throw new Error(`a join was answered ${answer.status}: ${await answer.text()}`);
  }
  const mention = async (n: number) => {
    const id = await send(server, sender(n), channel_id, `@bench_${n % MENTIONED} ${n}`);
    sentAt.set(id, performance.now());
  };
  let n = 0;
  const plain = () => send(server, sender(n++), channel_id, TEXT);
  const ms = Number(values.seconds) * 1_000;
  const loads = {
    [`${values.rate} sends a second`]: () => atRate(Number(values.rate), ms, plain),
    "full load": () => asFastAsPossible(ms, plain),
  };
  for (const [name, load] of Object.entries(loads)) {
    sentAt.clear();
    seenAt.clear();
    const before = cpuSeconds(server.pid);
    const began = performance.now();
    const [sends] = await Promise.all([load(), atRate(MENTIONS_A_SECOND, ms, mention)]);
    const seconds = (performance.now() - began) / 1_000;
    const cpu = (cpuSeconds(server.pid) - before) / seconds;
    const until = performance.now() + PATIENCE_MS;
    while ([...sentAt.keys()].some((id) => !seenAt.has(id)) && performance.now() < until) await Bun.sleep(TICK_MS);
    report(name, { sends: sends / seconds, cpu });
  }
  for (const socket of sockets) socket.close();
}

function report(name: string, { sends, cpu }: { sends: number; cpu: number }): void {
  const delays = [...sentAt].map(([id, at]) => (seenAt.get(id) ?? Number.POSITIVE_INFINITY) - at).sort((a, b) => a - b);
  const at = (share: number) => Math.round(delays[Math.ceil(share * delays.length) - 1] ?? 0);
  console.log(
    `${name}: ${delays.length} mentions, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms; ` +
      `${Math.round(sends)} sends/s, ${cpu.toFixed(2)} cores; load average ${loadavg()[0]?.toFixed(1)}`,
  );
}

await measure();
