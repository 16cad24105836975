/**
 * `node_modules/.bin/bun bench/feed-memory.ts`: how much a server grows when one account fills 40 channels with 256
 * messages of the greatest length and reads their pages. Samples the resident memory every 50 ms, and prints its peak
 * and what is alive and what the allocator holds, before, during and after the attack.
 */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { residentBytes } from "./procfs.ts";
import { parley, useBundle } from "./servers/parley.ts";
import { RunningServer, type ServerKind } from "./servers/server.ts";

const MIB = 1024 * 1024;
const CHANNELS = 40;
const MESSAGES = 256;
/** 4,000 characters, the first ones different: two bytes each in memory, three on the wire. */
const FILLER = "\u{4e2d}".repeat(3_980);
const SAMPLE_MS = 50;

const { values } = parseArgs({
  options: {
    "in-flight": { type: "string", default: "40" },
    "rest-seconds": { type: "string", default: "20" },
    pages: { type: "boolean", default: true },
  },
});

/** Returns what the file of heap samples says last. */
function lastSample(file: string): string {
  return readFileSync(file, "utf8").trimEnd().split("\n").at(-1) ?? "";
}

async function collected(server: RunningServer, file: string): Promise<string> {
  const before = lastSample(file);
  process.kill(server.pid, "SIGUSR2");
  while (lastSample(file) === before) await Bun.sleep(10);
  return lastSample(file);
}

async function inTurn(count: number, atOnce: number, act: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await act(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
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
      ...Object.fromEntries(
        Object.entries(process.env).filter(([name]) => /^(PARLEY|MIMALLOC|BUN_JSC|BENCH)_/.test(name)),
      ),
    }),
  };
  await using server = await RunningServer.start(kind, { pinned: false });
  const [cookie = ""] = await parley.sessions(server, 1);
  const rooms: string[] = [];
  for (let n = 0; n < CHANNELS; n += 1) rooms.push(await parley.createRoom(server));
  const report = async (when: string): Promise<void> => {
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    const held = /^parley_feed_memory_bytes (\d+)$/m.exec(metrics)?.[1];
    console.log(`${when}: resident ${mib(residentBytes(server.pid))} MiB, feeds ${mib(Number(held))} MiB`);
  };
  console.log(`start, collected: ${await collected(server, file)}`);
  await Bun.sleep(1_000);
  const start = residentBytes(server.pid);
  await report("start");
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, residentBytes(server.pid));
  }, SAMPLE_MS);
  const headers = { cookie, "content-type": "application/json" };
  const began = performance.now();
  await inTurn(CHANNELS * MESSAGES, Number(values["in-flight"]), async (at) => {
    const body = JSON.stringify({ channel_slug: rooms[at % CHANNELS], content: `${at} ${FILLER}` });
    const answer = await fetch(`${server.url}/api/messages`, { method: "POST", headers, body });
    if (answer.status !== 201) throw new Error(`a send was answered ${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
  });
  await report(`sent in ${Math.round((performance.now() - began) / 1_000)} s`);
  console.log(`peak while sending: +${mib(peak - start)} MiB`);
  if (values.pages)
    await inTurn(CHANNELS * 4, 8, async (at) => {
      await (await fetch(`${server.url}/api/messages?channel_slug=${rooms[at % CHANNELS]}&limit=50`)).arrayBuffer();
    });
  await report("pages read");
  console.log(`peak with pages: +${mib(peak - start)} MiB`);
  await Bun.sleep(Number(values["rest-seconds"]) * 1_000);
  await report("at rest");
  console.log(`at rest: +${mib(residentBytes(server.pid) - start)} MiB`);
  console.log(`at rest, collected: ${await collected(server, file)}`);
  clearInterval(timer);
  await report("collected");
}

const mib = (bytes: number): string => (bytes / MIB).toFixed(0);

await measure();
