import { cpus, release } from "node:os";
import { checkGoals, type GoalResult } from "./goals.ts";
import { isPinned } from "./pinning.ts";
import { debianVersions } from "./servers/debian.ts";
import { peerVersions } from "./servers/peers.ts";
import { format, type Row, type Settings } from "./suite.ts";

export interface Report {
  date: string;
  commit: string;
  machine: { cpu: string; cores: number; kernel: string; bun: string; pinned: boolean };
  peers: Record<string, string>;
  settings: Settings;
  rows: Row[];
  goals: GoalResult[];
}

/** Read at the start: somebody may commit while a run goes on. */
const COMMIT = commitOfSources();

function commitOfSources(): string {
  const git = Bun.which("git");
  if (git === null) return "unknown";
  const { success, stdout } = Bun.spawnSync([git, "rev-parse", "--short", "HEAD"], { cwd: import.meta.dir });
  return success ? stdout.toString().trim() : "unknown";
}

/** Returns when a run ended, where it was, and of which sources it is. */
export function originOfRun(): Pick<Report, "date" | "commit" | "machine"> {
  return {
    date: new Date().toISOString(),
    commit: COMMIT,
    machine: {
      cpu: cpus()[0]?.model ?? "unknown",
      cores: cpus().length,
      kernel: release(),
      bun: Bun.version,
      pinned: isPinned,
    },
  };
}

export function makeReport(settings: Settings, rows: Row[]): Report {
  return {
    ...originOfRun(),
    peers: { ...peerVersions(), ...debianVersions() },
    settings,
    rows,
    goals: checkGoals(rows),
  };
}

/** A run counts as undisturbed if other processes use less than this, in cores. */
export const QUIET = 0.1;
const BUSY =
  "WARNING: other processes used more than a tenth of a core. Repeat the run, or compare server_cpu_us_each instead of throughput.";

function table(lines: string[][]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  const rendered = lines.map((line) => `| ${line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`);
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [rendered[0], rule, ...rendered.slice(1)].join("\n");
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

const faultCell = ({ faults, rounds: { run, failed, faulty } }: Row): string =>
  `${faults.length} FAULTS in ${faulty} of ${run} rounds, ${failed} without a figure`;

function rowCells(row: Row, rows: readonly Row[]): string[] {
  const own = rows.find(
    (other) => other.server === "parley" && other.scenario === row.scenario && other.case === row.case,
  );
  const ratio = own && row.server !== "parley" ? `${(own.summary.median / row.summary.median).toFixed(2)} ×` : "";
  return [
    row.scenario,
    row.case,
    row.server,
    `${format(row.summary.median)} ${row.unit}`,
    `${format(row.summary.min)} – ${format(row.summary.max)}`,
    row.cpu ? `${percent(row.cpu.server)}, ${percent(row.cpu.load)}, ${percent(row.cpu.others)}` : "",
    row.saturated ?? "",
    ratio,
    row.faults.length > 0 ? faultCell(row) : "",
  ];
}

function detailLine(row: Row): string {
  const figures = Object.entries(row.details).map(([name, value]) => `${name} ${format(value)}`);
  return `- ${row.scenario}, ${row.case}, ${row.server}: ${figures.join(", ")}`;
}

/** Renders the whole report as Markdown. */
export function renderReport(report: Report): string {
  const { machine, peers, settings } = report;
  const head = [
    "scenario",
    "case",
    "server",
    "median",
    "range",
    "CPU server, load, others",
    "saturated",
    "Parley / server",
    "faults",
  ];
  const goalHead = ["goal", "target", "measured", "met"];
  const goalCells = report.goals.map(({ goal, reached, met }) => [
    [goal.scenario, goal.case, goal.detail, goal.against && `against ${goal.against}`].filter(Boolean).join(", "),
    `${goal.bound} ${goal.figure} ${goal.unit}`,
    `${format(reached)} ${goal.unit}`,
    met ? "yes" : "NO",
  ]);
  return [
    `${report.date}, commit ${report.commit}. ${machine.cpu}, ${machine.cores} cores, Linux ${machine.kernel}, Bun ${machine.bun}; peers: ${Object.entries(
      peers,
    )
      .map(([name, version]) => `${name} ${version}`)
      .join(", ")}.`,
    `${settings.rounds} rounds of ${settings.runMs / 1000} s after ${settings.warmupMs / 1000} s of warm-up (${settings.firstWarmupMs / 1000} s before the first)${machine.pinned ? ", server on core 0, load on core 1" : ", not pinned"}.`,
    ...(report.rows.some((row) => (row.cpu?.others ?? 0) > QUIET) ? [BUSY] : []),
    table([head, ...report.rows.map((row) => rowCells(row, report.rows))]),
    ...(goalCells.length > 0 ? [table([goalHead, ...goalCells])] : []),
    report.rows.map(detailLine).join("\n"),
  ].join("\n\n");
}
