/**
 * `node_modules/.bin/bun bench/compare-pages.ts FOLDER …`: measures the web client of builds of Parley, each in a checkout
 * with `node_modules`, in turns on one machine, and prints each build's figures, the last one's ratio to the first, and
 * which goals the last one meets. Without a folder it measures this checkout. A build that runs beside an older one is
 * disturbed as much as that is, so the ratio counts on a busy machine, and the goals on a quiet one.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { serverBundle } from "../tools/server-bundle.mjs";
import { checkGoals } from "./goals.ts";
import { web } from "./scenarios/web.ts";
import { parley } from "./servers/parley.ts";
import type { ServerKind } from "./servers/server.ts";
import { Bench, format, type Measurement, type Row, type Settings, toRow } from "./suite.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "3" }, case: { type: "string", multiple: true, default: [] } },
});
const folders = (positionals.length === 0 ? [`${import.meta.dir}/..`] : positionals).map((folder) => resolve(folder));

const settings: Settings = {
  rounds: Number(values.rounds),
  runMs: 4_000,
  warmupMs: 1_000,
  firstWarmupMs: 1_000,
  messages: 0,
  watchMs: 60_000,
  servers: ["parley"],
};

interface Build {
  folder: string;
  kind: ServerKind;
  bench: Bench;
}

await using stack = new AsyncDisposableStack();

async function open(folder: string): Promise<Build> {
  // Each build knows its own sources.
  const own: { serverBundle: typeof serverBundle } = await import(resolve(folder, "tools/server-bundle.mjs"));
  const program = own.serverBundle(folder, process.execPath);
  const kind = { ...parley, command: () => [process.execPath, program, "serve"] };
  return { folder, kind, bench: stack.use(new Bench(settings)) };
}

/** Measures a case in every build, forwards and backwards in turn. */
async function measure(testCase: (typeof cases)[number]): Promise<Row[]> {
  const runs = new Map<Build, Measurement[]>(builds.map((build) => [build, []]));
  for (let round = 0; round < Math.min(settings.rounds, testCase.maxRounds ?? settings.rounds); round += 1) {
    for (const build of round % 2 === 0 ? builds : builds.toReversed()) {
      const run = await testCase.measure(build.bench, build.kind);
      runs.get(build)?.push(run);
      const faults = run.faults.length > 0 ? `  FAULTS: ${run.faults.slice(0, 3).join(" | ")}` : "";
      console.error(`  ${testCase.name} · ${build.folder}: ${format(run.value)} ${testCase.unit}${faults}`);
    }
  }
  return [...runs.values()].map((measured) => toRow(web, testCase, "parley", measured));
}

const detailsOf = ({ details }: Row): string =>
  Object.entries(details)
    .map(([name, value]) => `${name} ${format(value)}`)
    .join(", ");

const cases = web
  .cases(settings)
  .filter(({ name }) => values.case.length === 0 || values.case.some((text) => name.includes(text)));
const builds: Build[] = [];
for (const folder of folders) builds.push(await open(folder));
const newest: Row[] = [];
for (const testCase of cases) {
  const rows = await measure(testCase);
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) continue;
  newest.push(last);
  const ratio = (last.summary.median / first.summary.median).toFixed(2);
  console.log(`\n${testCase.name} (${testCase.unit})${rows.length > 1 ? `, last ÷ first: ${ratio}` : ""}`);
  for (const [at, row] of rows.entries()) {
    console.log(`  ${builds[at]?.folder}: ${format(row.summary.median)}  [${row.values.map(format).join(", ")}]`);
    console.log(`    ${detailsOf(row)}`);
    for (const fault of row.faults) console.log(`    FAULT ${fault}`);
  }
}
console.log("");
for (const { goal, reached, met } of checkGoals(newest)) {
  const what = `${goal.case}${goal.detail === undefined ? "" : `, ${goal.detail}`}`;
  console.log(`${met ? "met    " : "NOT MET"} ${what}: ${format(reached)}, ${goal.bound} ${goal.figure} ${goal.unit}`);
}
