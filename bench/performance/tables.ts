/** Makes the tables of runs, in Markdown. */
import type { GoalResult } from "../goals.ts";
import { QUIET, type Report } from "../report.ts";
import { format, kinds, type Row } from "../suite.ts";
import {
  casesOf,
  dayOf,
  favour,
  figureOf,
  type ScenarioRun,
  SINGLE_GAPS,
  serverLabel,
  serversOf,
  serversWithout,
} from "./runs.ts";

export function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const cells = (line: readonly string[]) => `| ${line.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [cells(head), `|${head.map(() => "---|").join("")}`, ...lines.map(cells)].join("\n");
}

const strong = (server: string) => (server === "parley" ? `**${serverLabel(server)}**` : serverLabel(server));
const times = (ratio: number | null): string => (ratio === null ? "" : `${rounded(ratio)} ×`);
const rounded = (ratio: number): string => (ratio >= 100 ? ratio.toFixed(0) : ratio.toPrecision(2));

/** Returns what the other servers of a scenario lack, as far as the list of servers says so. */
export function lacksText(scenario: ScenarioRun): string {
  const known: Record<string, { lacks: readonly string[] } | undefined> = kinds;
  const lines = serversOf(scenario).flatMap((server) => {
    const lacks = known[server]?.lacks ?? [];
    return lacks.length === 0 ? [] : [`- ${serverLabel(server)}: ${lacks.join(", ")}`];
  });
  return lines.length === 0 ? "" : `The others lack something here that Parley does:\n\n${lines.join("\n")}`;
}

/** One line for each case and server, in the order of the run. Columns in which nothing is known are left out. */
export function scenarioTable(scenario: ScenarioRun): string {
  const head = ["Case", "Server", "Median", "Range", "Full core", "Ratio", "Faults"];
  const lines = casesOf(scenario).flatMap((name) => {
    const rows = scenario.rows.filter((row) => row.case === name);
    const own = rows.find(({ server }) => server === "parley");
    const measured = rows.map((row) => lineOf(own, row));
    const missing = rows.length > 1 ? serversWithout(scenario, rows) : [];
    const names = missing.length > SINGLE_GAPS ? [missing.map(serverLabel).join(", ")] : missing.map(strong);
    return [...measured, ...names.map((server) => [name, server, "not measured", "", "", "", ""])];
  });
  const isUsed = head.map((_, column) => lines.some((line) => (line[column] ?? "") !== ""));
  return table(
    head.filter((_, column) => isUsed[column]),
    lines.map((line) => line.filter((_, column) => isUsed[column])),
  );
}

function lineOf(own: Row | undefined, row: Row): string[] {
  const { server } = row;
  const { min, max } = row.summary;
  const faults = row.faults.length === 0 ? "" : `**${row.faults.length}**`;
  const figure = figureOf(row);
  if (figure === null) return [row.case, strong(server), "failed", "", "", "", faults];
  return [
    row.case,
    strong(server),
    `${format(figure)} ${row.unit}`,
    `${format(min)} to ${format(max)}`,
    row.saturated ?? "",
    server === "parley" ? "" : times(favour(own, row)),
    faults,
  ];
}

/** Returns all further figures of a scenario, folded. */
export function detailsOf({ rows }: ScenarioRun): string {
  const lines = rows.flatMap((row) => {
    const figures = Object.entries(row.details).map(([name, value]) => `\`${name}\` ${format(value ?? Number.NaN)}`);
    return figures.length === 0 ? [] : [`- ${row.case}, ${serverLabel(row.server)}: ${figures.join(", ")}`];
  });
  if (lines.length === 0) return "";
  return `<details><summary>Further figures</summary>\n\n${lines.join("\n")}\n\n</details>`;
}

/** Returns the goals, and how many are met. */
export function goalsText(scenarios: readonly ScenarioRun[]): string {
  const results = scenarios.flatMap((scenario) => scenario.goals.map((result) => ({ scenario, result })));
  if (results.length === 0) return "These runs cover no goal.";
  const met = results.filter(({ result }) => result.met).length;
  const unknown = results.filter(({ result }) => !Number.isFinite(result.reached)).length;
  const unmeasured = unknown === 0 ? "" : `, ${unknown} ${unknown === 1 ? "was" : "were"} not measured`;
  const lines = results.map(({ scenario, result }) => [
    scenario.title,
    [result.goal.case, result.goal.detail && `\`${result.goal.detail}\``].filter(Boolean).join(", "),
    goalText(result),
    reachedText(result),
    verdict(result),
  ]);
  return `${met} of ${results.length} goals are met${unmeasured}.\n\n${table(["Scenario", "Case", "Goal", "Measured", ""], lines)}`;
}

function goalText({ goal }: GoalResult): string {
  const bound = `${goal.bound} ${goal.figure}`;
  return goal.against === null ? `${bound} ${goal.unit}` : `${bound} × ${goal.against}`;
}

function reachedText({ goal, reached }: GoalResult): string {
  if (!Number.isFinite(reached)) return "";
  return goal.against === null ? `${format(reached)} ${goal.unit}` : `${rounded(reached)} ×`;
}

function verdict({ met, reached }: GoalResult): string {
  if (!Number.isFinite(reached)) return "not measured";
  return met ? "met" : "**not met**";
}

/** Says how much other programs used at most, if that was enough to matter. */
function disturbance(scenarios: readonly ScenarioRun[], run: Report): string {
  const rows = scenarios.flatMap((scenario) => (scenario.run === run ? scenario.rows : []));
  const most = Math.max(0, ...rows.map(({ cpu }) => cpu?.others ?? 0));
  return most > QUIET ? `; **disturbed**: other programs used up to ${Math.round(most * 100)} % of a core` : "";
}

/** Returns which run gave which scenarios, on which machine. */
export function runsTable(scenarios: readonly ScenarioRun[], linkTo: (run: Report) => string): string {
  const runs = [...new Set(scenarios.map(({ run }) => run))];
  const lines = runs.map((run) => {
    const { machine, settings, peers } = run;
    const versions = Object.entries({ bun: machine.bun, ...peers }).map(([name, version]) => `${name} ${version}`);
    return [
      `[${dayOf(run.date)}](${linkTo(run)})`,
      run.commit,
      scenarios.flatMap((scenario) => (scenario.run === run ? [`\`${scenario.name}\``] : [])).join(", "),
      `${machine.cpu}, ${machine.cores} cores, Linux ${machine.kernel}${machine.pinned ? "" : ", not pinned"}${disturbance(scenarios, run)}`,
      `${settings.rounds} of ${settings.runMs / 1000} s`,
      versions.join(", "),
    ];
  });
  return table(["Run", "Commit", "Scenarios", "Machine", "Rounds", "Versions"], lines);
}

/** Returns the lines of bench/README.md: one for each case, with the peers in one cell. */
export function summaryLines(scenarios: readonly ScenarioRun[]): string[][] {
  return scenarios.flatMap((scenario) =>
    casesOf(scenario).map((name) => {
      const rows = scenario.rows.filter((row) => row.case === name);
      const own = rows.find(({ server }) => server === "parley");
      const others = rows
        .filter((row) => row !== own)
        .map((row) => {
          const figure = figureOf(row);
          if (figure === null) return `${row.server} failed`;
          const ratio = favour(own, row);
          return `${row.server} ${format(figure)}${ratio === null ? "" : ` (${times(ratio)})`}`;
        });
      const goals = scenario.goals.filter(({ goal }) => goal.case === name);
      return [
        `\`${scenario.name}\`: ${name}`,
        ownFigure(own),
        own?.saturated ?? "",
        others.join(", "),
        goals.map(summaryGoal).join("; "),
      ];
    }),
  );
}

function ownFigure(own: Row | undefined): string {
  const figure = figureOf(own);
  if (own === undefined) return "not measured";
  return figure === null ? "failed" : `${format(figure)} ${own.unit}`;
}

function summaryGoal(result: GoalResult): string {
  const { goal } = result;
  const detail = goal.detail === undefined ? "" : `\`${goal.detail}\` `;
  // The median itself is in the column of Parley.
  const reached = goal.detail === undefined && goal.against === null ? "" : reachedText(result);
  return `${detail}${goalText(result)}: ${verdict(result)}${reached === "" ? "" : `, ${reached}`}`;
}

export const SUMMARY_HEAD = ["What", "Parley", "Full core", "Others (ratio above 1: Parley does better)", "Goal"];
