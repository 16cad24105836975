/**
 * `bun bench/growth.ts [--large] [--axis NAME] [--keep FOLDER] [--save FILE]`: measures what calls cost as the data
 * grows. Fills the database of a stopped server along one axis at a time, starts it, and calls it with one request in
 * flight. Prints a table for each axis: the median in milliseconds and, in brackets, the 99th percentile, as the client
 * sees them. The saved file is JSON, from which performance-page.ts draws. `--keep` keeps the filled databases there, so
 * that another run on a quieter machine does not fill them again: 20 million messages take a quarter of an hour. The
 * axis of three nodes needs PARLEY_BENCH_DATABASE_URL and redis-server.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { CHANNELS } from "./corpus.ts";
import { CALLS, type Row } from "./growth/calls.ts";
import { addChannels, addMembers } from "./growth/fill.ts";
import { folderFor, type LoneGrowth, measureLone, STARTS, USERS } from "./growth/lone.ts";
import { measureNodes, missingForNodes } from "./growth/nodes.ts";
import { type GrowthAxis, type GrowthFile, growthTable } from "./performance/growth.ts";
import { originOfRun } from "./report.ts";
import { corpusSlug, fillParley } from "./servers/fill.ts";
import { useBundle } from "./servers/parley.ts";

const { values } = parseArgs({
  options: {
    large: { type: "boolean", default: false },
    axis: { type: "string" },
    keep: { type: "string" },
    save: { type: "string" },
  },
});

interface Axis {
  name: string;
  sizes: readonly number[];
  /** One more size, with `--large`. */
  large?: number;
  measure(size: number): Promise<Row>;
  /** Returns what is missing to measure it. */
  missing?(): string | null;
}

function lone(name: string, growth: LoneGrowth, sizes: readonly number[], large: number): Axis {
  return {
    name,
    sizes,
    large,
    measure: (size) => measureLone(growth, size, folderFor(`${name.replaceAll(" ", "-")}-${size}`, values.keep)),
  };
}

const fillMessages = (file: string, size: number) => fillParley(file, size, USERS, true);

const AXES: readonly Axis[] = [
  lone("messages", { fill: fillMessages, room: corpusSlug(0) }, [10_000, 100_000, 1_000_000], 20_000_000),
  lone("channels", { fill: addChannels }, [100, 10_000, 100_000], 1_000_000),
  lone("members of the room", { fill: addMembers, room: "general" }, [10, 1_000, 100_000], 1_000_000),
  lone("sockets", { hasSockets: true }, [100, 1_000, 10_000], 18_000),
  { name: "sockets on three nodes", sizes: [1_000, 10_000, 50_000], measure: measureNodes, missing: missingForNodes },
];

useBundle();
if (values.keep !== undefined) mkdirSync(values.keep, { recursive: true });
const chosen = AXES.filter(({ name }) => values.axis === undefined || name.startsWith(values.axis));
if (chosen.length === 0) throw new Error(`unknown axis; there are: ${AXES.map(({ name }) => name).join(", ")}`);
const measured: GrowthAxis[] = [];
for (const axis of chosen) {
  const missing = axis.missing?.() ?? null;
  if (missing !== null) {
    console.error(`${axis.name}: left out, because ${missing}`);
    continue;
  }
  const sizes = values.large && axis.large !== undefined ? [...axis.sizes, axis.large] : [...axis.sizes];
  const rows: Row[] = [];
  for (const size of sizes) {
    console.error(`${axis.name}: ${size}`);
    rows.push(await axis.measure(size));
  }
  const names = Object.keys(rows[0] ?? {});
  const calls = Object.fromEntries(names.map((name) => [name, rows.flatMap((row) => row[name] ?? [])]));
  const grown = { name: axis.name, sizes, calls };
  console.log(`${growthTable(grown)}\n`);
  measured.push(grown);
}
console.error(`${CHANNELS} channels have messages on the first axis; ${CALLS} calls each, ${STARTS} starts.`);
if (values.save !== undefined) {
  const file: GrowthFile = { ...originOfRun(), calls: CALLS, starts: STARTS, axes: measured };
  writeFileSync(values.save, `${JSON.stringify(file, null, 2)}\n`);
}
