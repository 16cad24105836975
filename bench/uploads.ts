/**
 * `node_modules/.bin/bun bench/uploads.ts`: what large uploads cost the sends beside them. Sends run in windows, alone
 * and beside uploads of 25 MiB that follow each other without a pause, in turns. Prints the rates and latencies of each
 * pair, the CPU of a lone upload, and how much the server's resident memory grew.
 */
import { randomFillSync } from "node:crypto";
import { parseArgs } from "node:util";
import { LoadProcess } from "./load-process.ts";
import { LOAD_CORE, pinned } from "./pinning.ts";
import { cpuSeconds, residentBytes } from "./procfs.ts";
import { sendRequests } from "./scenarios/http.ts";
import { parley, untilIndexed, useBundle } from "./servers/parley.ts";
import { RunningServer, type ServerKind } from "./servers/server.ts";
import { median } from "./statistics.ts";

const MIB = 1024 * 1024;
/** Below the largest size of a file by default. */
const BYTES = 25 * MIB - 4096;
const USERS = 512;
const LONE_UPLOADS = 8;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "6" },
    seconds: { type: "string", default: "3" },
    "in-flight": { type: "string", default: "64" },
  },
});

if (positionals[0] === "upload") await uploadForever(positionals[1] ?? "", positionals[2] ?? "");
else await measure(Number(values.rounds), Number(values.seconds) * 1_000, Number(values["in-flight"]));

async function upload(url: string, cookie: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  randomFillSync(bytes, 0, 64);
  const form = new FormData();
  form.append("file", new File([bytes], "noise.bin"));
  const answer = await fetch(`${url}/api/files`, { method: "POST", headers: { cookie }, body: form });
  if (answer.status !== 201) throw new Error(`an upload was answered ${answer.status}: ${await answer.text()}`);
  await answer.text();
}

function noise(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(BYTES);
  for (let at = 0; at < BYTES; at += MIB) randomFillSync(bytes, at, Math.min(MIB, BYTES - at));
  return bytes;
}

/** The process beside the senders. Prints a line after each upload. */
async function uploadForever(url: string, cookie: string): Promise<void> {
  const bytes = noise();
  for (;;) {
    await upload(url, cookie, bytes);
    process.stdout.write(".");
  }
}

async function measure(rounds: number, runMs: number, connections: number): Promise<void> {
  useBundle();
  const kind: ServerKind = {
    ...parley,
    env: (folder) => ({ ...parley.env(folder), PARLEY_FILE_QUOTA_MIB: "1000000", PARLEY_FILES_TOTAL_MIB: "1000000" }),
  };
  await using server = await RunningServer.start(kind);
  await using load = new LoadProcess();
  const cookies = await parley.sessions(server, USERS);
  const requests = sendRequests(server, cookies);
  const send = (ms: number) =>
    load.run<"http">({
      kind: "http",
      port: server.port,
      serverPid: server.pid,
      requests,
      connections,
      expectStatus: 201,
      warmupMs: 300,
      runMs: ms,
    });
  await send(8_000);
  await untilIndexed(server);
  await lone(server, cookies[0] ?? "");
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const alone = await send(runMs);
    const before = residentBytes(server.pid);
    const { result, uploaded, grown } = await beside(server, cookies[1] ?? "", before, () => send(runMs));
    ratios.push(result.answers / result.seconds / (alone.answers / alone.seconds));
    console.log(
      `alone ${Math.round(alone.answers / alone.seconds)}/s, p50 ${alone.p50Ms.toFixed(2)}, p99 ${alone.p99Ms.toFixed(1)} ms; beside ` +
        `${uploaded.toFixed(1)} MiB/s of uploads ${Math.round(result.answers / result.seconds)}/s, p50 ${result.p50Ms.toFixed(2)}, ` +
        `p99 ${result.p99Ms.toFixed(1)} ms; memory +${Math.round(grown / MIB)} MiB`,
    );
  }
  console.log(`median ratio of the rates ${median(ratios).toFixed(3)} (${connections} in flight)`);
}

async function lone(server: RunningServer, cookie: string): Promise<void> {
  const bytes = noise();
  await upload(server.url, cookie, bytes);
  const [cpu, started] = [cpuSeconds(server.pid), performance.now()];
  for (let count = 0; count < LONE_UPLOADS; count += 1) await upload(server.url, cookie, bytes);
  const seconds = (performance.now() - started) / 1_000;
  const mib = (LONE_UPLOADS * BYTES) / MIB;
  console.log(
    `a lone upload: ${(mib / seconds).toFixed(0)} MiB/s, ${(((cpuSeconds(server.pid) - cpu) / mib) * 1_000).toFixed(1)} ms of CPU for each MiB`,
  );
}

/** Runs `act` while another process uploads. `grown`: the most bytes of resident memory above `before`. */
async function beside<T>(server: RunningServer, cookie: string, before: number, act: () => Promise<T>) {
  const child = Bun.spawn(pinned(LOAD_CORE, [process.execPath, import.meta.path, "upload", server.url, cookie]), {
    stdout: "pipe",
    stderr: "inherit",
  });
  let grown = 0;
  const watch = setInterval(() => {
    grown = Math.max(grown, residentBytes(server.pid) - before);
  }, 20);
  const started = performance.now();
  const result = await act();
  const seconds = (performance.now() - started) / 1_000;
  clearInterval(watch);
  child.kill();
  const dots = await new Response(child.stdout).text();
  return { result, grown, uploaded: (dots.length * BYTES) / MIB / seconds };
}
