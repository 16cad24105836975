/** `npm run bench -- [scenario…]`: measures Parley and its peers, on this machine, in one run. */
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { makeReport, renderReport } from "./report.ts";
import { scenarios } from "./scenarios/all.ts";
import { profileInto, useBundle } from "./servers/parley.ts";
import { installPeers } from "./servers/peers.ts";
import type { ServerName } from "./servers/server.ts";
import { Bench, kinds, type Row, runCase, type Scenario, type Settings } from "./suite.ts";

const HELP = `npm run bench -- [scenario…] [options]

${scenarios.map(({ name, about }) => `  ${name.padEnd(14)} ${about}`).join("\n")}

  --rounds N     interleaved rounds of each case (5)
  --seconds N    length of a measured run (4)
  --warmup N     seconds of warm-up before it (1)
  --first-warmup N  seconds of warm-up before the first run of a case on a server (10)
  --case TEXT    only cases whose name contains the text
  --messages N   number of messages to search (1000000)
  --minutes N    how long to observe the memory of the web page (10)
  --servers A,B  some of ${Object.keys(kinds).join(", ")} (all that are installed)
  --name NAME    stores the results in bench/results/<date>-<name>.json (run)
  --profile DIR  writes a CPU profile of Parley to the folder (slower, so not for results)
  --no-save      does not store the results
  --json         prints the results as JSON instead of tables
  --help         prints this text

The exit code is 1 if a run had faults: an error response, a missing or a duplicate message.

Beside these scenarios, node_modules/.bin/bun runs
  bench/growth.ts --save FILE              calls as the data grows
  bench/soak.ts --minutes 30 --save FILE   memory over time
  bench/performance-page.ts RESULTS.json --growth FILE --soak FILE
                                           docs/reference/performance.md with charts of stored runs`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "4" },
    warmup: { type: "string", default: "1" },
    "first-warmup": { type: "string", default: "10" },
    messages: { type: "string", default: "1000000" },
    minutes: { type: "string", default: "10" },
    case: { type: "string", default: "" },
    servers: { type: "string", default: Object.keys(kinds).join(",") },
    name: { type: "string", default: "run" },
    profile: { type: "string" },
    save: { type: "boolean", default: true },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0`);
  return value;
}

function chosenScenarios(): Scenario[] {
  const unknown = positionals.filter((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown.length > 0)
    throw new Error(
      `unknown scenario: ${unknown.join(", ")}. The scenarios are: ${scenarios.map(({ name }) => name).join(", ")}`,
    );
  return scenarios.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
}

function settings(): Settings {
  const servers = values.servers.split(",").filter((name): name is ServerName => name in kinds);
  if (servers.length !== values.servers.split(",").length)
    throw new Error(`--servers takes ${Object.keys(kinds).join(",")}`);
  return {
    rounds: Math.ceil(positive("rounds", values.rounds)),
    runMs: positive("seconds", values.seconds) * 1000,
    warmupMs: positive("warmup", values.warmup) * 1000,
    firstWarmupMs: positive("first-warmup", values["first-warmup"]) * 1000,
    messages: Math.ceil(positive("messages", values.messages)),
    watchMs: positive("minutes", values.minutes) * 60_000,
    servers,
  };
}

/** The peers that npm installs. */
const PACKAGES: readonly ServerName[] = ["express", "ws"];

/** Tells what is missing of a peer that Debian's packages install. */
function isInstalled(name: ServerName): boolean {
  const missing = kinds[name].missing?.() ?? null;
  if (missing !== null) console.error(`${kinds[name].title} is not measured: ${missing}`);
  return missing === null;
}

async function run(): Promise<Row[]> {
  const chosen = chosenScenarios();
  const asked = settings();
  const used = new Set(chosen.flatMap((scenario) => scenario.cases(asked).flatMap(({ servers }) => servers)));
  const how = { ...asked, servers: asked.servers.filter((name) => used.has(name) && isInstalled(name)) };
  if (how.servers.some((name) => PACKAGES.includes(name))) await installPeers();
  if (values.profile === undefined) useBundle();
  else profileInto(resolve(values.profile));
  await using bench = new Bench(how);
  const rows: Row[] = [];
  for (const scenario of chosen) {
    console.error(`${scenario.name}: ${scenario.about}`);
    for (const testCase of scenario.cases(how)) {
      if (testCase.name.includes(values.case)) rows.push(...(await runCase(bench, scenario, testCase)));
    }
  }
  return rows;
}

if (values.help) {
  console.log(HELP);
} else {
  const rows = await run();
  const report = makeReport(settings(), rows);
  if (values.save) {
    const folder = new URL("results/", import.meta.url).pathname;
    mkdirSync(folder, { recursive: true });
    await Bun.write(`${folder}${report.date.slice(0, 10)}-${values.name}.json`, `${JSON.stringify(report, null, 2)}\n`);
  }
  console.log(values.json ? JSON.stringify(report, null, 2) : renderReport(report));
  process.exit(rows.some((row) => row.faults.length > 0) ? 1 : 0);
}
