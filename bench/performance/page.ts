/** Puts the figures of stored runs into docs/reference/performance.md and bench/README.md, and draws their charts. */
import { dirname, relative } from "node:path";
import type { Report } from "../report.ts";
import { scenarioChart } from "./figures.ts";
import { type GrowthFile, growthChart, growthFileName, growthTable } from "./growth.ts";
import { generatedPart, withGenerated } from "./markers.ts";
import { dayOf, type ScenarioRun, scenarioRuns } from "./runs.ts";
import { type SoakFile, soakChart, soakTable } from "./soak.ts";
import {
  detailsOf,
  goalsText,
  lacksText,
  runsTable,
  SUMMARY_HEAD,
  scenarioTable,
  summaryLines,
  table,
} from "./tables.ts";

export const PAGE = "docs/reference/performance.md";
export const README = "bench/README.md";
export const PICTURES = "docs/images/performance";
/** From the page to the root of the repository. */
const UP = "../..";

/** The files that the page is made from, as paths from the root of the repository. */
export interface Sources {
  results: string[];
  growth?: string[];
  soak?: string;
}

/** Reads a stored file. */
export type ReadJson = (path: string) => unknown;

const SOURCES = /<!-- sources: (.*) -->/;

/** Returns the files that the page was made from last. */
export function sourcesOf(page: string): Sources {
  const [, json] = SOURCES.exec(page) ?? [];
  if (json === undefined) throw new Error(`${PAGE} does not name its sources`);
  return JSON.parse(json) as Sources;
}

export interface Pages {
  page: string;
  readme: string;
  /** The charts, by file name. */
  pictures: Record<string, string>;
}

/** Returns both pages with new figures. The same files and pages always give the same bytes. */
export function makePages(sources: Sources, read: ReadJson, pages: Omit<Pages, "pictures">): Pages {
  const reports = new Map(sources.results.map((path) => [read(path) as Report, path]));
  const scenarios = scenarioRuns([...reports.keys()]);
  const pictures: Record<string, string> = {};
  const draw = (name: string, svg: string, alt: string): string => {
    pictures[`${name}.svg`] = svg;
    return `![${alt}](${relative(dirname(PAGE), PICTURES)}/${name}.svg)`;
  };
  const parts: Record<string, string> = {
    run: runsPart(sources, scenarios, (run) => `${UP}/${reports.get(run) ?? ""}`),
    scenarios: scenarios.map((scenario) => scenarioPart(scenario, draw)).join("\n\n"),
    goals: goalsText(scenarios),
    growth: growthPart(
      (sources.growth ?? []).map((path) => read(path) as GrowthFile),
      draw,
    ),
    soak: soakPart(sources.soak === undefined ? null : (read(sources.soak) as SoakFile), draw),
  };
  let { page } = pages;
  for (const [name, text] of Object.entries(parts)) page = withGenerated(page, name, text);
  return { page, readme: readmeWith(pages.readme, scenarios), pictures };
}

type DrawInto = (name: string, svg: string, alt: string) => string;

function runsPart(sources: Sources, scenarios: readonly ScenarioRun[], linkTo: (run: Report) => string): string {
  return `<!-- sources: ${JSON.stringify(sources)} -->\n\n${runsTable(scenarios, linkTo)}`;
}

function scenarioPart(scenario: ScenarioRun, draw: DrawInto): string {
  const svg = scenarioChart(scenario);
  const about = scenario.about === "" ? "" : `${scenario.about} (\`${scenario.name}\`)`;
  return [
    `### ${scenario.title}`,
    about,
    svg === null ? "" : draw(scenario.name, svg, `${scenario.title}: a chart of the figures in the table below`),
    scenarioTable(scenario),
    lacksText(scenario),
    detailsOf(scenario),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Each axis is taken from the first file that has it. */
function growthPart(files: readonly GrowthFile[], draw: DrawInto): string {
  const [first] = files;
  if (first === undefined) return "No run is stored.";
  const drawn = new Set<string>();
  const parts: string[] = [];
  for (const file of files) {
    for (const axis of file.axes.filter(({ name }) => !drawn.has(name))) {
      drawn.add(axis.name);
      parts.push(
        draw(growthFileName(axis), growthChart(file, axis), `Wait for calls with more and more ${axis.name}`),
        `${dayOf(file.date)}, commit ${file.commit}.`,
        growthTable(axis),
      );
    }
  }
  const about = `Milliseconds: the median of ${first.calls} calls and, in brackets, the 99th percentile. *start* is the median of ${first.starts} starts and the slowest.`;
  return [about, ...parts].join("\n\n");
}

function soakPart(file: SoakFile | null, draw: DrawInto): string {
  if (file === null) return "No run with its samples is stored.";
  return `${draw("soak", soakChart(file), "Resident memory over time")}\n\n${soakTable(file)}`;
}

/** Rows that begin with a link are written by people: they stay, below the generated ones. */
const isByHand = (line: string): boolean => line.startsWith("| [");

function readmeWith(readme: string, scenarios: readonly ScenarioRun[]): string {
  const byHand = generatedPart(readme, "results").split("\n").filter(isByHand);
  const runs = [...new Set(scenarios.map(({ run }) => run))];
  const days = [...new Set(runs.map(({ date, commit }) => `${dayOf(date)} (${commit})`))].join(", ");
  const results = [table(SUMMARY_HEAD, summaryLines(scenarios)), ...byHand].join("\n");
  return withGenerated(readme, "results", `Medians of the runs of ${days}.\n\n${results}`);
}
