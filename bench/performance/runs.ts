/** Reads stored runs and takes each scenario from one of them, so that its ratios are of one run. */
import { checkGoals, type GoalResult } from "../goals.ts";
import type { Report } from "../report.ts";
import { scenarios } from "../scenarios/all.ts";
import type { Row } from "../suite.ts";

export interface ScenarioRun {
  name: string;
  title: string;
  /** What is loaded; empty for a scenario that no longer exists. */
  about: string;
  run: Report;
  rows: Row[];
  goals: GoalResult[];
}

const TITLES: Record<string, string> = {
  "send-http": "Sending messages over HTTP",
  "fan-out": "Delivering to everybody in a room",
  "newest-page": "Reading the newest page of a channel",
  "join-storm": "Everybody joins at once",
  "idle-sockets": "Memory of a socket that waits",
  claims: "Claiming red packets",
  payments: "Checking a payment",
  search: "Searching",
  boot: "From the start to the first answer",
  cluster: "CPU for a message on several nodes",
  web: "The page in a browser",
  latency: "Waiting at a steady rate",
  wrk: "The same calls by another load generator",
};

/** Returns the scenarios in the order in which they run. The first run that has a scenario gives all of its rows. */
export function scenarioRuns(runs: readonly Report[]): ScenarioRun[] {
  const names = new Set(runs.flatMap(({ rows }) => rows.map(({ scenario }) => scenario)));
  const known = scenarios.map(({ name }) => name).filter((name) => names.has(name));
  const ordered = [...new Set([...known, ...names])];
  return ordered.flatMap((name) => {
    const run = runs.find(({ rows }) => rows.some(({ scenario }) => scenario === name));
    if (run === undefined) return [];
    const rows = run.rows.filter(({ scenario }) => scenario === name);
    const about = sentence(scenarios.find((scenario) => scenario.name === name)?.about ?? "");
    return [{ name, title: TITLES[name] ?? name, about, run, rows, goals: checkGoals(rows) }];
  });
}

const sentence = (text: string): string => (text === "" ? "" : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`);

/** Returns the names of a scenario's cases in their order. */
export const casesOf = ({ rows }: ScenarioRun): string[] => [...new Set(rows.map((row) => row.case))];

/** Returns the servers of a scenario in their order. */
export const serversOf = ({ rows }: ScenarioRun): string[] => [...new Set(rows.map((row) => row.server))];

/** Returns the servers of a scenario that one of its cases lacks. */
export function serversWithout(scenario: ScenarioRun, rows: readonly Row[]): string[] {
  return serversOf(scenario).filter((name) => rows.every(({ server }) => server !== name));
}

/** More servers than this that a case lacks share a row. */
export const SINGLE_GAPS = 2;

export const serverLabel = (server: string): string => (server === "parley" ? "Parley" : server);

/** Returns the median, or null if every round failed. JSON has no NaN, and has null there, too. */
export function figureOf(row: Row | undefined): number | null {
  const median = row?.summary.median;
  return median !== undefined && Number.isFinite(median) ? median : null;
}

/** Rates and ratios are good when they are large, times and sizes when they are small. */
export const moreIsBetter = (unit: string): boolean => unit.endsWith("/s") || unit.includes("÷");

/** Returns how many times better Parley is: below 1 if the other server is better. */
export function favour(own: Row | undefined, other: Row): number | null {
  const [mine, theirs] = [figureOf(own), figureOf(other)];
  if (mine === null || theirs === null) return null;
  return moreIsBetter(other.unit) ? mine / theirs : theirs / mine;
}

/** Returns a figure with a short unit, as it fits beside a bar. */
export function withUnit(figure: string, unit: string): string {
  if (unit.endsWith("/s")) return `${figure}/s`;
  return unit.includes("÷") ? figure : `${figure} ${unit.split(/[ /]/)[0] ?? ""}`;
}

export function dayOf(date: string): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(new Date(date));
}

/** Returns what a picture needs to be understood alone: the day, the commit and the machine. */
export function originOf({
  date,
  commit,
  machine,
}: Pick<Report, "date" | "commit"> & { machine?: Partial<Report["machine"]> }): string {
  const parts = [dayOf(date), `commit ${commit}`];
  if (machine?.cpu !== undefined) parts.push(machine.cpu);
  if (machine?.cores !== undefined) parts.push(`${machine.cores} cores`);
  return parts.join(", ");
}
