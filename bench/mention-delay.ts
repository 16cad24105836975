/**
 * `node_modules/.bin/bun bench/mention-delay.ts`: how late people learn that they are mentioned, on a server that others
 * keep busy. Fifty messages a second mention somebody, beside plain sends at a constant rate, then beside as many sends
 * and pages as the server's core takes, from other processes. "Busy" is the share of the time in which the server's main
 * thread ran or waited for a core: nearly 100 % on a saturated server, whatever else runs on the machine. With
 * `--database postgres://…` on PostgreSQL (an empty database).
 */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { cpuSeconds, mainThreadSeconds } from "./procfs.ts";
import { parley, useBundle } from "./servers/parley.ts";
import { RunningServer, type ServerKind } from "./servers/server.ts";

const MENTIONED = 25;
const SENDERS = 8;
const TICK_MS = 10;
/** Senders at full load, in so many processes. */
const PROCESSES = 4;
const SENDERS_EACH = SENDERS / PROCESSES;
/** How long the full load runs before it is measured. */
const WARM_MS = 3_000;
/** How long the last mentions may take to arrive. */
const PATIENCE_MS = 30_000;
const TEXT = "x".repeat(100);

const { values } = parseArgs({
  options: {
    database: { type: "string" },
    rate: { type: "string", default: "800" },
    mentions: { type: "string", default: "50" },
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

/** Sends as much as the server takes until it is disposed. */
class FullLoad implements AsyncDisposable {
  readonly #children: Bun.Subprocess<"ignore", "pipe", "inherit">[] = [];
  readonly #answered: number[] = [];

  constructor(url: string, channelId: number, cookies: readonly string[]) {
    for (let n = 0; n < PROCESSES; n += 1) {
      const own = cookies.slice(n * SENDERS_EACH, (n + 1) * SENDERS_EACH);
      const program = new URL("mention-load.ts", import.meta.url).pathname;
      const cmd = [process.execPath, program, url, String(channelId), ...own];
      const child = Bun.spawn(cmd, { stdio: ["ignore", "pipe", "inherit"] });
      this.#children.push(child);
      void this.#count(n, child.stdout);
    }
  }

  /** The sends that were answered. */
  get answered(): number {
    return this.#answered.reduce((sum, count) => sum + count, 0);
  }

  async #count(n: number, lines: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of lines) this.#answered[n] = Number(decoder.decode(chunk).trimEnd().split("\n").at(-1));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) child.kill();
    await Promise.all(this.#children.map(({ exited }) => exited));
  }
}

async function measure(): Promise<void> {
  useBundle();
  const database: Record<string, string> = values.database === undefined ? {} : { DATABASE_URL: values.database };
  const env = (folder: string) => ({ ...parley.env(folder), PARLEY_RATE_LIMITS: "off", ...database });
  const kind: ServerKind = { ...parley, env };
  await using server = await RunningServer.start(kind);
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
  const mentions = () => atRate(Number(values.mentions), ms, mention);
  await watched(server, `${values.rate} sends a second`, async () => {
    const [sends] = await Promise.all([atRate(Number(values.rate), ms, plain), mentions()]);
    return sends;
  });
  {
    await using load = new FullLoad(server.url, channel_id, cookies.slice(MENTIONED));
    await Bun.sleep(WARM_MS);
    await watched(server, "full load", async () => {
      const before = load.answered;
      await mentions();
      return load.answered - before;
    });
  }
  for (const socket of sockets) socket.close();
}

/** Measures the mentions that `act` sends, and what the server does meanwhile. It returns the number of other sends. */
async function watched(server: RunningServer, name: string, act: () => Promise<number>): Promise<void> {
  sentAt.clear();
  seenAt.clear();
  const before = { cpu: cpuSeconds(server.pid), main: mainThreadSeconds(server.pid), at: performance.now() };
  const sends = await act();
  const seconds = (performance.now() - before.at) / 1_000;
  const cpu = (cpuSeconds(server.pid) - before.cpu) / seconds;
  const { ran, waited } = mainThreadSeconds(server.pid);
  const busy = (ran + waited - before.main.ran - before.main.waited) / seconds;
  const until = performance.now() + PATIENCE_MS;
  while ([...sentAt.keys()].some((id) => !seenAt.has(id)) && performance.now() < until) await Bun.sleep(TICK_MS);
  report(name, { sends: sends / seconds, cpu, busy });
}

function report(name: string, { sends, cpu, busy }: { sends: number; cpu: number; busy: number }): void {
  const delays = [...sentAt].map(([id, at]) => (seenAt.get(id) ?? Number.POSITIVE_INFINITY) - at).sort((a, b) => a - b);
  const at = (share: number) => Math.round(delays[Math.ceil(share * delays.length) - 1] ?? 0);
  console.log(
    `${name}: ${delays.length} mentions, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms; ${Math.round(sends)} sends/s, ` +
      `${cpu.toFixed(2)} cores, busy ${Math.round(100 * busy)} %; load average ${loadavg()[0]?.toFixed(1)}`,
  );
}

await measure();
