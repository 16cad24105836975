import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LOAD_CORE, pinned } from "../pinning.ts";
import type { RunningServer } from "../servers/server.ts";
import type { Bench, Case, Measurement, Scenario } from "../suite.ts";
import { type HttpRun, pageRun, runHttp, sendRun } from "./http.ts";

interface Result {
  perSecond: number;
  /** The CPU that the generator took for each answer. */
  cpuUsEach: number;
  p50Ms: number;
  p99Ms: number;
  faults: string[];
}

/** A script for wrk that sends these requests in turn. */
function script(requests: readonly string[]): string {
  const texts = requests.map((request) => JSON.stringify(request).replaceAll("\\r", "\\13").replaceAll("\\n", "\\10"));
  return `local requests = { ${texts.join(",\n")} }
local next = 0
request = function()
  next = next + 1
  return requests[next % #requests + 1]
end
`;
}

const UNIT_MS: Record<string, number> = { us: 0.001, ms: 1, s: 1_000, m: 60_000 };

/** Reads what wrk prints with \`--latency\`. `cpuUs` is what the process took in all. */
function readWrk(output: string, cpuUs: number): Result {
  const time = (share: string): number => {
    const [, value, unit = ""] = new RegExp(`^ +${share}% +([\\d.]+)(us|ms|s|m)$`, "m").exec(output) ?? [];
    return Number(value) * (UNIT_MS[unit] ?? Number.NaN);
  };
  const perSecond = Number(/^Requests\/sec: +([\d.]+)/m.exec(output)?.[1]);
  const faults = [...output.matchAll(/^ +(Non-2xx or 3xx responses: .*|Socket errors: .*)$/gm)].map(
    ([, fault = ""]) => fault,
  );
  if (!Number.isFinite(perSecond)) faults.push(`wrk printed no rate: ${output.slice(0, 300)}`);
  const answers = Number(/^ +(\d+) requests in /m.exec(output)?.[1]);
  return { perSecond, cpuUsEach: cpuUs / answers, p50Ms: time("50"), p99Ms: time("99"), faults };
}

async function wrk(server: RunningServer, { requests, connections }: HttpRun, seconds: number): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "parley-bench-wrk-"));
  try {
    const file = join(folder, "requests.lua");
    writeFileSync(file, script(requests));
    const options = ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", "-s", file, server.url];
    const child = Bun.spawn(pinned(LOAD_CORE, ["wrk", ...options]), { stdout: "pipe", stderr: "pipe" });
    const output = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
    await child.exited;
    return readWrk(output, Number(child.resourceUsage()?.cpuTime.total));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function own(bench: Bench, server: RunningServer, run: HttpRun, seconds: number): Promise<Result> {
  const { result, measurement } = await runHttp(bench, server, run, { warmupMs: 0, runMs: seconds * 1_000 });
  return {
    perSecond: measurement.value,
    cpuUsEach: (result.cpu.load * result.seconds * 1e6) / result.answers,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    faults: measurement.faults,
  };
}

function meanOf(results: readonly Result[]): Result {
  const mean = (read: (result: Result) => number) =>
    results.reduce((sum, result) => sum + read(result), 0) / results.length;
  return {
    perSecond: mean(({ perSecond }) => perSecond),
    cpuUsEach: mean(({ cpuUsEach }) => cpuUsEach),
    p50Ms: mean(({ p50Ms }) => p50Ms),
    p99Ms: mean(({ p99Ms }) => p99Ms),
    faults: results.flatMap(({ faults }) => faults),
  };
}

/**
 * The generators take turns, A B B A, so that a drift of the machine, or of a database that grows, disturbs both alike.
 * Neither has a warm-up of its own. Who is first changes with each round.
 */
async function compare(bench: Bench, server: RunningServer, run: HttpRun, isWrkFirst: boolean): Promise<Measurement> {
  const seconds = Math.ceil(bench.settings.runMs / 2_000);
  const generators = { wrk: () => wrk(server, run, seconds), own: () => own(bench, server, run, seconds) };
  await wrk(server, run, Math.ceil(bench.settings.warmupMs / 1_000));
  const results: Record<keyof typeof generators, Result[]> = { wrk: [], own: [] };
  for (const name of isWrkFirst ? (["wrk", "own", "own", "wrk"] as const) : (["own", "wrk", "wrk", "own"] as const)) {
    results[name].push(await generators[name]());
  }
  const [theirs, ours] = [meanOf(results.wrk), meanOf(results.own)];
  return {
    value: theirs.perSecond / ours.perSecond,
    details: {
      wrk_per_second: theirs.perSecond,
      own_per_second: ours.perSecond,
      wrk_load_cpu_us_each: theirs.cpuUsEach,
      own_load_cpu_us_each: ours.cpuUsEach,
      wrk_p50_ms: theirs.p50Ms,
      wrk_p99_ms: theirs.p99Ms,
      wrk_p99_to_p50: theirs.p99Ms / theirs.p50Ms,
      own_p50_ms: ours.p50Ms,
      own_p99_ms: ours.p99Ms,
    },
    faults: [...ours.faults, ...theirs.faults],
  };
}

function wrkCase(name: string, makeRun: typeof sendRun): Case {
  let rounds = 0;
  return {
    name,
    unit: "wrk ÷ own",
    servers: ["parley"],
    async measure(bench, kind) {
      if (Bun.which("wrk") === null) throw new Error("wrk is missing: apt install wrk");
      const server = await bench.server(kind);
      return compare(bench, server, await makeRun(bench, server, 64), rounds++ % 2 === 0);
    },
  };
}

/** A second opinion on the rates over HTTP, by a load generator that nobody here wrote. */
export const wrkScenario: Scenario = {
  name: "wrk",
  about: "the newest page and durable sends with 64 connections, by Debian's wrk and by our own load, in turns",
  cases: () => [wrkCase("durable sends", sendRun), wrkCase("newest page", pageRun)],
};
