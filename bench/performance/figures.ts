/** Makes the bar chart of a scenario. */
import { type Bar, type BarPanel, barChart } from "../plots/bars.ts";
import { format, type Row } from "../suite.ts";
import {
  casesOf,
  figureOf,
  moreIsBetter,
  originOf,
  type ScenarioRun,
  SINGLE_GAPS,
  serverLabel,
  serversOf,
  serversWithout,
  withUnit,
} from "./runs.ts";

/** Returns the chart, or null if no two figures of the scenario can be compared. */
export function scenarioChart(scenario: ScenarioRun): string | null {
  const panels = panelsOf(scenario);
  if (!panels.some(({ bars }) => bars.length > 1)) return null;
  const bars = panels.flatMap((panel) => panel.bars);
  const notes = [`Bars: medians of ${roundsOf(scenario)}. Thin lines: their range.`];
  if (bars.some(({ goals = [] }) => goals.length > 0)) notes.push("Orange marks: Parley's goals.");
  if (bars.some(({ remark = "" }) => remark !== ""))
    notes.push("At the right: whose core was full. If it was the load's, the server could do more.");
  notes.push(`${originOf(scenario.run)}. Server and load share the machine.`);
  const description = panels
    .map((panel) => `${panel.title}: ${panel.bars.map(({ label, shown }) => `${label} ${shown}`).join(", ")}`)
    .join(". ");
  return barChart({ title: scenario.title, about: scenario.about, description: `${description}.`, notes }, panels);
}

/** Some cases have fewer rounds than their run. */
function roundsOf({ rows }: ScenarioRun): string {
  const rounds = rows.map(({ summary }) => summary.rounds);
  const [fewest, most] = [Math.min(...rounds), Math.max(...rounds)];
  return fewest === most ? `${most} round${most === 1 ? "" : "s"}` : `${fewest} to ${most} rounds`;
}

/**
 * A case with several servers has a panel, in which servers that lack it are named. The cases that only one server has
 * share a panel for each server and unit.
 */
export function panelsOf(scenario: ScenarioRun): BarPanel[] {
  const servers = serversOf(scenario);
  const compared: BarPanel[] = [];
  const alone = new Map<string, Row[]>();
  for (const name of casesOf(scenario)) {
    const rows = scenario.rows.filter((row) => row.case === name);
    const [first] = rows;
    if (first === undefined) continue;
    const key = `${first.server} ${first.unit}`;
    if (rows.length === 1) alone.set(key, [...(alone.get(key) ?? []), first]);
    else {
      const bars = rows.map((row) => barOf(scenario, serverLabel(row.server), row, row.server === "parley"));
      compared.push({
        title: name,
        unit: unitText(first.unit),
        bars: [...sorted(bars, moreIsBetter(first.unit)), ...gaps(serversWithout(scenario, rows).map(serverLabel))],
      });
    }
  }
  const single = [...alone.values()].flatMap((rows): BarPanel[] => {
    const [first] = rows;
    if (first === undefined) return [];
    const { server, unit } = first;
    const isOwn = server === "parley";
    const bars = rows.map((row) => barOf(scenario, row.case, row, isOwn));
    if (servers.length === 1) return [{ title: unit, unit: betterText(unit), bars }];
    return [{ title: `${serverLabel(server)} alone`, unit: unitText(unit), bars }];
  });
  return [...compared, ...single];
}

const betterText = (unit: string): string => `${moreIsBetter(unit) ? "more" : "less"} is better`;
const unitText = (unit: string): string => `${unit}, ${betterText(unit)}`;

const FULL: Record<string, string> = {
  server: "server full",
  load: "load full",
  both: "both full",
  neither: "none full",
};

/** Names the servers that were not measured in a case, so that nobody reads their absence as a zero. */
function gaps(missing: readonly string[]): Bar[] {
  const gap = { value: null, isOwn: false };
  if (missing.length <= SINGLE_GAPS) return missing.map((label) => ({ ...gap, label, shown: "not measured" }));
  return [{ ...gap, label: "not measured", shown: missing.join(", ") }];
}

function barOf(scenario: ScenarioRun, label: string, row: Row, isOwn: boolean): Bar {
  const value = figureOf(row);
  if (value === null) return { label, value, shown: "failed in every round", isOwn };
  const { min, max } = row.summary;
  const faults = row.faults.length > 0 ? "faults" : "";
  return {
    label,
    value,
    shown: withUnit(format(value), row.unit),
    range: [min, max],
    remark: faults || (FULL[row.saturated ?? ""] ?? ""),
    isOwn,
    goals: row.server === "parley" ? goalsOf(scenario, row) : [],
  };
}

/** Returns the goals of a case in its own unit: a ratio to a peer is a multiple of the peer's figure. */
function goalsOf({ goals, rows }: ScenarioRun, row: Row): number[] {
  return goals.flatMap(({ goal }) => {
    if (goal.case !== row.case || goal.detail !== undefined) return [];
    if (goal.against === null) return [goal.figure];
    const peer = figureOf(rows.find((other) => other.case === row.case && other.server === goal.against));
    return peer === null ? [] : [goal.figure * peer];
  });
}

/** The best is first; servers without a figure are last. */
function sorted(bars: readonly Bar[], largestFirst: boolean): Bar[] {
  const rank = ({ value }: Bar) => (value === null ? Number.POSITIVE_INFINITY : largestFirst ? -value : value);
  // Infinity minus itself is no number.
  return bars.toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
}
