// The tests of a line: those that run it, the nearest first, until they take too long.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NEEDS } from "../testing/needs.mjs";
import { needOf, testFiles } from "../testing/select.mjs";

/** Folders of whole-server tests that are about a folder of src of another name, besides those of its own name. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  messages: ["agents", "cards", "channels", "retention", "threads"],
  "event-log": ["realtime", "messages"],
  ledger: ["points", "red-packets"],
  http: ["files", "limits", "mcp", "stickers"],
};

/** A test file that passes without mutants, and the lines that it runs. */
export interface Measured {
  readonly path: string;
  /** What it takes of a processor. */
  readonly seconds: number;
  /** By file: whether a line runs. Lines without code are absent. */
  readonly lines: ReadonlyMap<string, ReadonlyMap<number, boolean>>;
}

/** The environment of `npm test`, on SQLite alone. */
export const TEST_ENV = { ...process.env, PARLEY_TEST_DATABASES: "sqlite", PARLEY_TEST_DATABASE_URL: "" };

/**
 * Returns the tests of a folder of packages/server/src, or those of the whole server. Each ran once, with coverage; the
 * results are in `cache`.
 */
export function measuredTests(root: string, folder: string | "everywhere", cache: string): Measured[] {
  const top = folder.split("/")[0] ?? folder;
  const its = [`src/${folder}`, ...[top, ...(ALSO[top] ?? [])].map((name) => `test/${name}`)];
  const folders = folder === "everywhere" ? ["src", "test"] : its;
  return testFiles(root)
    .filter((path) => folders.some((name) => path.startsWith(`packages/server/${name}/`)))
    .filter((path) => needOf(path, NEEDS) === null)
    .map((path) => measured(root, path, join(cache, path)));
}

function measured(root: string, path: string, folder: string): Measured {
  const noted = join(folder, "seconds");
  if (!existsSync(noted) || statSync(noted).mtimeMs < statSync(join(root, path)).mtimeMs) {
    mkdirSync(folder, { recursive: true });
    const coverage = ["--coverage", "--coverage-reporter=lcov", `--coverage-dir=${folder}`];
    const args = [process.execPath, "test", "--timeout=60000", ...coverage, path];
    const { success, stderr, resourceUsage } = Bun.spawnSync(args, { cwd: root, env: TEST_ENV });
    if (!success) throw new Error(`${path} fails without a mutant:\n${stderr.toString().slice(-2000)}`);
    writeFileSync(noted, String(Number(resourceUsage.cpuTime.total) / 1_000_000));
  }
  const lines = new Map<string, Map<number, boolean>>();
  for (const record of readFileSync(join(folder, "lcov.info"), "utf8").split("end_of_record")) {
    const counts = [...record.matchAll(/^DA:(\d+),(\d+)/gm)].map(
      ([, line, count]) => [Number(line), count !== "0"] as const,
    );
    lines.set(/^SF:(.*)$/m.exec(record)?.[1] ?? "", new Map(counts));
  }
  return { path, seconds: Number(readFileSync(noted, "utf8")), lines };
}

/**
 * Returns the tests that run a line: first those whose path shares the most words with the file's, then the fastest, while
 * they take at most `seconds` together, but at least one. If the line runs in no test, the tests that load the file.
 */
export function testsOf(file: string, line: number, tests: readonly Measured[], seconds: number): string[] {
  const words = wordsOf(file);
  const shared = ({ path }: Measured): number => [...wordsOf(path)].filter((word) => words.has(word)).length;
  const covering = tests.filter(({ lines }) => runs(lines.get(file), line));
  const order = (covering.length > 0 ? covering : tests.filter(({ lines }) => lines.has(file))).sort(
    (a, b) => shared(b) - shared(a) || a.seconds - b.seconds,
  );
  const chosen: string[] = [];
  let total = 0;
  for (const test of order) {
    if (chosen.length > 0 && total + test.seconds > seconds) continue;
    chosen.push(test.path);
    total += test.seconds;
  }
  return chosen;
}

/** Words of a path without their plural: `src/messages/loop-guard.ts` is message, loop, guard. */
const wordsOf = (path: string): Set<string> =>
  new Set(
    path
      .split(/[/.-]/)
      .filter((word) => !["packages", "server", "src", "test", "ts", "service", "store", "routes"].includes(word))
      .map((word) => word.replace(/s$/, "")),
  );

/** A line inside a statement of several lines may have no count; then the last one above it tells. */
function runs(lines: ReadonlyMap<number, boolean> | undefined, line: number): boolean {
  for (let n = line; lines !== undefined && n > 0; n--) {
    const does = lines.get(n);
    if (does !== undefined) return does;
  }
  return false;
}
