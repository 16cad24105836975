import type { CpuUse } from "./load/jobs.ts";
import { LoadProcess } from "./load-process.ts";
import { ejabberd, inspircd, mosquitto, nats, prosody } from "./servers/debian.ts";
import { parley } from "./servers/parley.ts";
import { bareBun, express, ws } from "./servers/peers.ts";
import { RunningServer, type ServerKind, type ServerName } from "./servers/server.ts";
import { type Summary, summarize } from "./statistics.ts";

export const kinds: Record<ServerName, ServerKind> = {
  parley,
  express,
  "bare-bun": bareBun,
  ws,
  nats,
  mosquitto,
  ejabberd,
  prosody,
  inspircd,
};

export interface Settings {
  rounds: number;
  runMs: number;
  warmupMs: number;
  /**
   * Warm-up before the first run of a case on a server: until the code is compiled and the database's log has its final
   * size.
   */
  firstWarmupMs: number;
  /** The number of messages to search. */
  messages: number;
  /** How long a page is observed at a constant rate of messages. */
  watchMs: number;
  servers: ServerName[];
}

/** One run of one case against one server. */
export interface Measurement {
  value: number;
  /** Absent if the case does not drive a server to its limit. */
  cpu?: CpuUse;
  /** Further figures, by name including the unit. */
  details: Record<string, number>;
  /** Reasons why this run does not count: errors, missing or duplicate messages. */
  faults: string[];
}

export interface Case {
  name: string;
  unit: string;
  servers: ServerName[];
  /** For cases that take long and vary little. */
  maxRounds?: number;
  measure(bench: Bench, kind: ServerKind): Promise<Measurement>;
}

export interface Scenario {
  name: string;
  about: string;
  cases(settings: Settings): Case[];
}

export interface Row {
  scenario: string;
  case: string;
  server: ServerName;
  unit: string;
  summary: Summary;
  values: number[];
  cpu: CpuUse | null;
  /** Names the side that was CPU-bound: more than 93 % of its core. */
  saturated: "server" | "load" | "both" | "neither" | null;
  details: Record<string, number>;
  /** How many rounds were run, how many of them gave no figure, and how many had faults (those without a figure, too). */
  rounds: { run: number; failed: number; faulty: number };
  /** Each fault as a text with its counts, after the number of its round. */
  faults: string[];
}

/** The servers and the load process that the scenarios of one run share. */
export class Bench implements AsyncDisposable {
  /** The settings of the current run. */
  settings: Settings;
  readonly load = new LoadProcess();
  readonly #servers = new Map<ServerName, RunningServer>();
  readonly #kept: AsyncDisposable[] = [];

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** Returns the server that all scenarios share; it is idle while others are measured. */
  async server(kind: ServerKind): Promise<RunningServer> {
    const running = this.#servers.get(kind.name) ?? (await RunningServer.start(kind));
    this.#servers.set(kind.name, running);
    return running;
  }

  /** Waits until the server has done the background work that earlier measurements left, if it is running. */
  async settle(name: ServerName): Promise<void> {
    const server = this.#servers.get(name);
    if (server !== undefined) await server.kind.settle?.(server);
  }

  /** Keeps a server or another part that one scenario started and reuses: it ends with the suite. */
  keep<T extends AsyncDisposable>(part: T): T {
    this.#kept.push(part);
    return part;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(
      [...this.#servers.values(), ...this.#kept, this.load].map((part) => part[Symbol.asyncDispose]()),
    );
  }
}

/** Runs a case in interleaved rounds, alternating forwards and backwards, and summarizes each server's rounds. */
export async function runCase(bench: Bench, scenario: Scenario, testCase: Case): Promise<Row[]> {
  const names = testCase.servers.filter((name) => bench.settings.servers.includes(name));
  const runs = new Map<ServerName, Measurement[]>(names.map((name) => [name, []]));
  const { settings } = bench;
  const rounds = Math.min(settings.rounds, testCase.maxRounds ?? Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round += 1) {
    bench.settings = round === 0 ? { ...settings, warmupMs: settings.firstWarmupMs } : settings;
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const measurement = await attempt(bench, testCase, kinds[name]);
      runs.get(name)?.push(measurement);
      const faults = measurement.faults.length > 0 ? `  FAULTS: ${measurement.faults.slice(0, 3).join(" | ")}` : "";
      console.error(
        `  ${testCase.name} · ${name} · round ${round + 1}: ${format(measurement.value)} ${testCase.unit}${faults}`,
      );
    }
  }
  bench.settings = settings;
  return names.map((name) => toRow(scenario, testCase, name, runs.get(name) ?? []));
}

async function attempt(bench: Bench, testCase: Case, kind: ServerKind): Promise<Measurement> {
  try {
    await bench.settle(kind.name);
    return await testCase.measure(bench, kind);
  } catch (error) {
    await bench.load.run({ kind: "close" }).catch(() => {});
    return { value: Number.NaN, details: {}, faults: [error instanceof Error ? error.message : String(error)] };
  }
}

/** Summarizes the rounds of one case on one server; a round without a figure has the value NaN. */
export function toRow(
  scenario: Pick<Scenario, "name">,
  testCase: Pick<Case, "name" | "unit">,
  server: ServerName,
  runs: readonly Measurement[],
): Row {
  const values = runs.filter((run) => Number.isFinite(run.value)).map((run) => run.value);
  const cpus = runs.flatMap((run) => (run.cpu ? [run.cpu] : []));
  const middle = (side: keyof CpuUse): number => summarize(cpus.map((use) => use[side])).median;
  const cpu = cpus.length > 0 ? { server: middle("server"), load: middle("load"), others: middle("others") } : null;
  const details: Record<string, number> = {};
  for (const key of new Set(runs.flatMap((run) => Object.keys(run.details)))) {
    details[key] = summarize(runs.flatMap((run) => run.details[key] ?? [])).median;
  }
  return {
    scenario: scenario.name,
    case: testCase.name,
    server,
    unit: testCase.unit,
    summary: summarize(values),
    values,
    cpu,
    saturated: cpu && saturatedSide(cpu),
    details,
    rounds: {
      run: runs.length,
      failed: runs.length - values.length,
      faulty: runs.filter(({ faults }) => faults.length > 0).length,
    },
    faults: runs.flatMap(({ faults }, i) => faults.map((fault) => `round ${i + 1}: ${fault}`)),
  };
}

function saturatedSide({ server, load }: CpuUse): "server" | "load" | "both" | "neither" {
  const full = 0.93;
  if (server >= full) return load >= full ? "both" : "server";
  return load >= full ? "load" : "neither";
}

export function format(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value >= 1_000_000) return `${(value / 1_000_000).toFixed(2)}M`;
  if (value >= 10_000) return `${(value / 1_000).toFixed(1)}k`;
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
