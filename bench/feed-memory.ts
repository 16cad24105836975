/**
 * `node_modules/.bin/bun bench/feed-memory.ts`: how much a server grows when one account fills 40 channels with 256
 * messages of the greatest length and reads their pages, until the search index has all of them, and after a rest.
 * Samples the resident memory every 50 ms, and prints its peaks. With `--sockets` the messages come over sockets; with
 * `--varied` each has other characters. `--profile FILE` writes what holds the memory before, at the peak, when it is
 * over and after the rest; asking that takes memory itself, so the peaks are those of a run without it.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { holders, type Mappings, type Moment, mappingsOf, samples } from "./memory-holders.ts";
import { residentBytes } from "./procfs.ts";
import { parley, untilIndexed, useBundle } from "./servers/parley.ts";
import { RunningServer, type ServerKind } from "./servers/server.ts";

const MIB = 1024 * 1024;
const CHANNELS = 40;
const MESSAGES = 256;
/** Characters of a text, the first ones different: two bytes each in memory, three on the wire. */
const LENGTH = 3_980;
const FIRST = 0x4e2d;
const CHARACTERS = 20_000;
const SOCKETS = 8;
const SAMPLE_MS = 50;
/** With a profile, the mappings are read when the peak rises by so much. */
const STEP = 4 * MIB;

const { values } = parseArgs({
  options: {
    "in-flight": { type: "string", default: "40" },
    "index-seconds": { type: "string", default: "240" },
    "rest-seconds": { type: "string", default: "20" },
    pages: { type: "boolean", default: true },
    sockets: { type: "boolean", default: false },
    varied: { type: "boolean", default: false },
    profile: { type: "string" },
  },
});

const same = String.fromCharCode(FIRST).repeat(LENGTH);

function filler(): string {
  if (!values.varied) return same;
  const codes = Array.from({ length: LENGTH }, () => FIRST + Math.floor(Math.random() * CHARACTERS));
  return String.fromCharCode(...codes);
}

async function collected(server: RunningServer, file: string): Promise<Moment["heap"]> {
  const before = samples(file).filter(({ isCollected }) => isCollected).length;
  process.kill(server.pid, "SIGUSR2");
  for (;;) {
    const sample = samples(file).filter(({ isCollected }) => isCollected)[before];
    if (sample !== undefined) return sample;
    await Bun.sleep(50);
  }
}

async function inTurn(count: number, atOnce: number, act: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await act(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

type Send = (room: string, content: string) => Promise<void>;

function overHttp(server: RunningServer, cookie: string): Send {
  const headers = { cookie, "content-type": "application/json" };
  return async (room, content) => {
    const body = JSON.stringify({ channel_slug: room, content });
    const answer = await fetch(`${server.url}/api/messages`, { method: "POST", headers, body });
    if (answer.status !== 201) throw new Error(`a send was answered ${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
  };
}

async function overSocket(server: RunningServer, cookie: string): Promise<Send> {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/api/ws`, { headers: { cookie } });
  const waiting = new Map<number, () => void>();
  socket.onmessage = ({ data }) => {
    const { event, ref, data: body } = JSON.parse(String(data));
    if (event === "error") throw new Error(`a command was refused: ${JSON.stringify(body)}`);
    waiting.get(ref)?.();
    waiting.delete(ref);
  };
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  let ref = 0;
  return (channel_slug, content) =>
    new Promise((resolve) => {
      waiting.set(++ref, resolve);
      socket.send(JSON.stringify({ event: "message:send", ref, data: { channel_slug, content } }));
    });
}

/** The highest resident memory, and what is known of the moment. */
class Peak {
  bytes = 0;
  #noted = 0;
  readonly #timer: ReturnType<typeof setInterval>;
  mappings: Mappings | undefined;
  heap: Moment["heap"] | undefined;

  constructor(pid: number, file: string) {
    const look = (): void => {
      this.bytes = Math.max(this.bytes, residentBytes(pid));
      if (values.profile === undefined || this.bytes < this.#noted + STEP) return;
      this.#noted = this.bytes;
      this.mappings = mappingsOf(pid);
      this.heap = samples(file).at(-1);
    };
    this.#timer = setInterval(look, SAMPLE_MS);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

async function measure(): Promise<void> {
  useBundle();
  const file = join(mkdtempSync(join(tmpdir(), "parley-feed-memory-")), "heap.jsonl");
  await Bun.write(file, "\n");
  const kind: ServerKind = {
    ...parley,
    env: (folder) => ({
      ...parley.env(folder),
      PARLEY_RATE_LIMITS: "off",
      BENCH_HEAP_FILE: file,
      BUN_OPTIONS: `--preload=${new URL("heap-samples.ts", import.meta.url).pathname}`,
      ...(values.profile === undefined ? {} : { BENCH_HEAP_CLASSES: "1", BENCH_HEAP_MS: "100" }),
      ...Object.fromEntries(
        Object.entries(process.env).filter(([name]) => /^(PARLEY|MIMALLOC|BUN_JSC|BENCH)_/.test(name)),
      ),
    }),
  };
  await using server = await RunningServer.start(kind, { pinned: false });
  const [cookie = ""] = await parley.sessions(server, 1);
  const rooms: string[] = [];
  for (let n = 0; n < CHANNELS; n += 1) rooms.push(await parley.createRoom(server));
  const moments: Moment[] = [];
  const note = async (name: string): Promise<void> => {
    if (values.profile === undefined) return;
    const mappings = mappingsOf(server.pid);
    moments.push({ name, mappings, heap: await collected(server, file) });
  };
  await collected(server, file);
  await Bun.sleep(1_000);
  await note("before");
  const start = residentBytes(server.pid);
  using peak = new Peak(server.pid, file);
  const report = async (when: string): Promise<void> => {
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    const held = /^parley_feed_memory_bytes (\d+)$/m.exec(metrics)?.[1];
    const now = residentBytes(server.pid);
    console.log(
      `${when}: resident ${mib(now)} MiB (+${mib(now - start)}), feeds ${mib(Number(held))} MiB; peak so far +${mib(peak.bytes - start)} MiB`,
    );
  };
  await report("start");
  await attack(server, { cookie, rooms, report });
  await untilIndexed(server, Number(values["index-seconds"]) * 1_000).catch((error: Error) =>
    console.log(error.message),
  );
  if (peak.mappings !== undefined && peak.heap !== undefined)
    moments.push({ name: "peak", mappings: peak.mappings, heap: peak.heap });
  await report("indexed");
  await note("indexed");
  await Bun.sleep(Number(values["rest-seconds"]) * 1_000);
  await report("at rest");
  await note("at rest");
  await collected(server, file);
  await report("collected");
  if (values.profile !== undefined) await Bun.write(values.profile, `${holders(moments)}\n`);
}

interface Attack {
  cookie: string;
  rooms: readonly string[];
  report(when: string): Promise<void>;
}

async function attack(server: RunningServer, { cookie, rooms, report }: Attack): Promise<void> {
  const began = performance.now();
  const atOnce = Number(values["in-flight"]);
  const roads: Send[] = [];
  for (let n = 0; n < (values.sockets ? SOCKETS : 1); n += 1)
    roads.push(values.sockets ? await overSocket(server, cookie) : overHttp(server, cookie));
  await inTurn(CHANNELS * MESSAGES, atOnce, async (at) => {
    await roads[at % roads.length]?.(rooms[at % CHANNELS] ?? "", `${at} ${filler()}`);
  });
  await report(`sent in ${Math.round((performance.now() - began) / 1_000)} s`);
  if (!values.pages) return;
  await inTurn(CHANNELS * 4, 8, async (at) => {
    await (await fetch(`${server.url}/api/messages?channel_slug=${rooms[at % CHANNELS]}&limit=50`)).arrayBuffer();
  });
  await report("pages read");
}

const mib = (bytes: number): string => (bytes / MIB).toFixed(0);

await measure();
