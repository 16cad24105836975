import { expect, test } from "bun:test";
import type { Report } from "../report.ts";
import type { Row } from "../suite.ts";
import { panelsOf, scenarioChart } from "./figures.ts";
import type { GrowthFile } from "./growth.ts";
import { makePages, PAGE, sourcesOf } from "./page.ts";
import { favour, scenarioRuns } from "./runs.ts";
import { lacksText, scenarioTable } from "./tables.ts";

function row(server: string, median: number | null, more: object = {}): Row {
  const stored = {
    scenario: "send-http",
    case: "64 in flight",
    server,
    unit: "sends/s",
    summary: { median, min: median, max: median, spreadPercent: 0, rounds: 3 },
    values: [],
    cpu: { server: 0.99, load: 0.5, others: 0 },
    saturated: "server",
    details: { p50_ms: 1.5 },
    faults: [],
    ...more,
  };
  return stored as unknown as Row;
}

function run(rows: Row[], commit = "abc1234"): Report {
  return {
    date: "2026-11-22T10:09:38.667Z",
    commit,
    machine: { cpu: "Some CPU", cores: 2, kernel: "6", bun: "1.4.5", pinned: true },
    peers: { express: "5.3.0" },
    settings: {
      rounds: 3,
      runMs: 3000,
      warmupMs: 1000,
      firstWarmupMs: 1000,
      messages: 1,
      watchMs: 1,
      servers: ["parley", "express"],
    },
    rows,
    goals: [],
  };
}

const part = (name: string, text = "") => `<!-- generated: ${name} -->\n${text}\n<!-- end: ${name} -->`;
const page = [
  "# By hand",
  part("run"),
  part("scenarios"),
  part("goals"),
  part("growth"),
  part("soak"),
  "The end.",
].join("\n\n");
const readme = `# Bench\n\n${part("results", "| [a note](notes/x.md) | 1 | | | |\n| an old row | 2 | | | |")}\n\nMore.`;
const growth: GrowthFile = {
  date: "2026-11-26T00:00:00.000Z",
  commit: "def5678",
  machine: { cores: 2 },
  calls: 300,
  starts: 3,
  axes: [
    {
      name: "channels",
      sizes: [100, 10_000],
      calls: {
        send: [
          { p50: 1, p99: 2 },
          { p50: 1.5, p99: 9 },
        ],
      },
    },
  ],
};
const files: Record<string, unknown> = {
  "a.json": run([row("parley", 30_000), row("express", 4_000)]),
  "growth.json": growth,
  "older.json": {
    ...growth,
    commit: "abc0000",
    axes: [...growth.axes, { name: "sockets", sizes: [1], calls: { send: [{ p50: 7, p99: 8 }] } }],
  },
};
const make = (pages = { page, readme }) =>
  makePages({ results: ["a.json"], growth: ["growth.json", "older.json"] }, (path) => files[path], pages);

test("the same runs give the same pages and pictures, also from the pages that they gave", () => {
  const first = make();
  expect(make()).toEqual(first);
  expect(make(first)).toEqual(first);
});

test("what people wrote stays, and figures come between the comments", () => {
  const made = make();
  expect(made.page).toStartWith("# By hand");
  expect(made.page).toEndWith("The end.");
  expect(made.page).toContain("| 64 in flight | express | 4000 sends/s | 4000 to 4000 | server | 7.5 × |");
  expect(Object.keys(made.pictures).toSorted()).toEqual(["growth-channels.svg", "growth-sockets.svg", "send-http.svg"]);
  expect(sourcesOf(made.page)).toEqual({ results: ["a.json"], growth: ["growth.json", "older.json"] });
});

test("a soak is drawn over time, and a page without one says so", () => {
  const soak = {
    minutes: 1,
    median_mib_of_each_quarter: [150, 160, 170, 171],
    growth_mib: 11,
    highest_mib: 180,
    samples: [
      { seconds: 5, mib: 150 },
      { seconds: 60, mib: 171 },
    ],
  };
  const read = (path: string) => (path === "soak.json" ? soak : files[path]);
  const made = makePages({ results: ["a.json"], soak: "soak.json" }, read, { page, readme });
  expect(made.pictures["soak.svg"]).toContain(
    "Medians of the quarters of 1 minutes: 150 MiB, 160 MiB, 170 MiB, 171 MiB.",
  );
  expect(made.page).toContain("| median | 150 | 160 | 170 | 171 | 11 | 180 |");
  expect(make().page).toContain("No run with its samples is stored.");
});

test("rows of bench/README.md that begin with a link stay, and others are replaced", () => {
  const made = make();
  expect(made.readme).toContain("| [a note](notes/x.md) | 1 | | | |");
  expect(made.readme).not.toContain("an old row");
  expect(made.readme).toContain("express 4000 (7.5 ×)");
});

test("an unmet goal is printed as such", () => {
  const { page: text, readme: summary } = make();
  expect(text).toContain("0 of 1 goals are met.");
  expect(text).toContain("| at least 15 × express | 7.5 × | **not met** |");
  expect(summary).toContain("at least 15 × express: **not met**, 7.5 ×");
});

test("a page without a place for figures is refused", () => {
  expect(() => make({ page: "# Empty", readme })).toThrow("generated: run");
  expect(() => sourcesOf("# Empty")).toThrow(PAGE);
});

test("a scenario is taken whole from the first run that has it", () => {
  const first = run([row("parley", 1)], "first");
  const second = run([row("parley", 2), row("express", 3), row("parley", 4, { scenario: "claims" })], "second");
  const taken = scenarioRuns([first, second]);
  expect(taken.map(({ name, run, rows }) => [name, run.commit, rows.length])).toEqual([
    ["send-http", "first", 1],
    ["claims", "second", 1],
  ]);
});

test("a scenario and a server that this code does not know are shown by their names", () => {
  const other = { scenario: "telepathy" };
  const [scenario] = scenarioRuns([run([row("parley", 1, other), row("pigeons", 2, other)])]);
  if (scenario === undefined) throw new Error("the scenario is missing");
  expect(scenario.title).toBe("telepathy");
  expect(scenarioTable(scenario)).toContain("| pigeons | 2.00 sends/s |");
  expect(scenarioChart(scenario)).toContain(">pigeons</text>");
});

test("a server that a case lacks, or that failed, is named without a bar, after the others", () => {
  const one = { case: "1 in flight" };
  const failed = { faults: ["a message is missing"], saturated: null, ...one };
  const [scenario] = scenarioRuns([
    run([row("parley", 10, one), row("nats", null, failed), row("parley", 1), row("express", 2), row("nats", 3)]),
  ]);
  if (scenario === undefined) throw new Error("the scenario is missing");
  const [first, second] = panelsOf(scenario);
  expect(first?.bars.map(({ label, value, shown }) => [label, value, shown])).toEqual([
    ["Parley", 10, "10.00/s"],
    ["nats", null, "failed in every round"],
    ["express", null, "not measured"],
  ]);
  expect(second?.bars.map(({ label }) => label)).toEqual(["nats", "express", "Parley"]);
  const lines = scenarioTable(scenario).split("\n");
  expect(lines).toContain("| 1 in flight | nats | failed |  |  |  | **1** |");
  expect(lines).toContain("| 1 in flight | express | not measured |  |  |  |  |");
});

test("what the other servers of a scenario lack is listed once", () => {
  const [scenario] = scenarioRuns([run([row("parley", 1), row("bare-bun", 2), row("bare-bun", 2, { case: "other" })])]);
  if (scenario === undefined) throw new Error("the scenario is missing");
  expect(lacksText(scenario).split("\n").slice(2)).toEqual([
    "- bare-bun: messages on disk, accounts and rights, limits",
  ]);
});

test("a ratio is above 1 where Parley does better, for rates and for times", () => {
  expect(favour(row("parley", 30), row("express", 10))).toBe(3);
  const milliseconds = { unit: "ms" };
  expect(favour(row("parley", 30, milliseconds), row("express", 10, milliseconds))).toBeCloseTo(1 / 3);
  expect(favour(row("parley", null), row("express", 10))).toBeNull();
});
