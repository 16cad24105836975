/**
 * Puts small faults into the server's sources, one at a time, and lists those that no test notices:
 *
 *     node_modules/.bin/bun tools/mutants.ts [--count=200] [--seed=1] [--seconds=10] [folder of packages/server/src ...]
 *     node_modules/.bin/bun tools/mutants.ts --survivors [--everywhere | --whole] [--count=20]
 *
 * A fault meets the tests that run its line (mutants/covering.ts), for `--seconds` of a processor or until one fails.
 * `--survivors` tries those that survived again, the last first: after new tests, with more seconds, with `--everywhere`
 * against the tests of all folders that run the line, or with `--whole` against all of `npm test`. Results and coverage
 * are kept in dist/mutants, so an interrupted run continues. Remove that folder after a change of the sources. Faults
 * that TypeScript refuses do not count.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { API, type Project } from "typescript/unstable/async";
import { type Measured, measuredTests, TEST_ENV, testsOf } from "./mutants/covering.ts";
import { type Mutant, mutantsOf } from "./mutants/mutators.ts";

const ROOT = join(import.meta.dir, "..");
const SRC = "packages/server/src";
const CACHE = join(ROOT, "dist/mutants");
const RESULTS = join(CACHE, "results.jsonl");
const FOLDERS = ["messages", "event-log", "ledger", "accounts/sessions", "http"];
/** Texts of the reference, which `npm run check` compares. */
const PROSE = `${SRC}/http/rights.ts`;
/** The time limit of a test. It is shorter than the wait for a condition, because a fault makes many wait in vain. */
const TEST_MS = 20_000;
/**
 * A fault can make an endless loop, or one that takes all memory. Then the tests take much more of a processor than
 * without it. How much time passes says little on a busy machine.
 */
const SECONDS_MORE = 30;
/** Tests that do nothing for so long wait in vain, before the first one or after the last one: each ends after `TEST_MS`. */
const IDLE_MS = 60_000;
const WHOLE_LIMIT_MS = 60 * 60_000;
/** Linux counts a processor's time in hundredths of seconds. */
const TICKS = 100;
const MEMORY_MAX = 3 * 2 ** 30;
/** The errors of TypeScript for code that is only unused or unreachable. */
const UNUSED = new Set([6133, 6192, 6196, 6198, 7027]);

type Outcome = "killed" | "timeout" | "survived";
interface Result extends Mutant {
  readonly outcome: Outcome;
  readonly tests: number;
  /** The test that noticed it first. */
  readonly by?: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    seconds: { type: "string", default: "10" },
    survivors: { type: "boolean", default: false },
    everywhere: { type: "boolean", default: false },
    whole: { type: "boolean", default: false },
  },
});
const folders = positionals.length > 0 ? positionals : FOLDERS;
const api = new API({ cwd: ROOT });
let snapshot = await api.updateSnapshot({ openProjects: [join(ROOT, "tsconfig.json")] });
let child: ChildProcess | undefined;
/** Undoes the fault that is in a file now. */
let restore = (): void => {};

process.on("exit", () => {
  endChild();
  restore();
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130));

mkdirSync(CACHE, { recursive: true });
if (spawnSync("git", ["diff", "--quiet", "HEAD", "--", SRC, ":!*.test.ts"], { cwd: ROOT }).status !== 0)
  throw new Error(`${SRC} has changes that are not committed.`);
const results = existsSync(RESULTS)
  ? readFileSync(RESULTS, "utf8")
      .trim()
      .split("\n")
      .map((line): Result => JSON.parse(line))
  : [];
try {
  if (values.survivors) await again();
  else for (const folder of folders) await attack(folder, Math.ceil(Number(values.count) / folders.length));
  report();
} finally {
  restore();
  await api.close();
}

/** Tries `count` faults of a folder that TypeScript accepts, in an order that the seed decides. */
async function attack(folder: string, count: number): Promise<void> {
  const tests = measuredTests(ROOT, folder, CACHE);
  const project = await lookAgain([]);
  const paths = (await project.program.getSourceFileNames()).filter(
    (path) => path.startsWith(join(ROOT, SRC, folder, "/")) && !/\.test\.ts$/.test(path) && path !== join(ROOT, PROSE),
  );
  const mutants: Mutant[] = [];
  for (const path of paths.sort()) {
    const source = await project.program.getSourceFile(path);
    if (source !== undefined) mutants.push(...mutantsOf(source, path.slice(ROOT.length + 1)));
  }
  let done = 0;
  const key = (mutant: Mutant): string =>
    Bun.hash(`${values.seed} ${nameOf(mutant)}`)
      .toString(16)
      .padStart(16, "0");
  for (const mutant of mutants.sort((a, b) => (key(a) < key(b) ? -1 : 1))) {
    if (done === count) break;
    if (results.some((result) => nameOf(result) === nameOf(mutant))) done += 1;
    else if (await tryMutant(mutant, tests)) done += 1;
  }
}

/** Tries survivors again: against the tests of their lines, in their folder or in all, or against all tests. */
async function again(): Promise<void> {
  for (const mutant of survivors().toReversed().slice(0, Number(values.count))) {
    const own = FOLDERS.find((name) => mutant.file.startsWith(`${SRC}/${name}/`)) ?? "";
    const folder = values.everywhere ? "everywhere" : own;
    await tryMutant(mutant, values.whole ? [] : measuredTests(ROOT, folder, CACHE));
  }
}

/** Notes and prints what becomes of a fault. Returns false if TypeScript refuses it. */
async function tryMutant(mutant: Mutant, tests: readonly Measured[]): Promise<boolean> {
  const path = join(ROOT, mutant.file);
  const old = readFileSync(path, "utf8");
  // The file has changed since.
  if (old.slice(mutant.start, mutant.end) !== mutant.was) return false;
  restore = () => writeFileSync(path, old);
  try {
    writeFileSync(path, old.slice(0, mutant.start) + mutant.text + old.slice(mutant.end));
    const { program } = await lookAgain([path]);
    if ((await program.getSyntacticDiagnostics(path)).length > 0) return false;
    if ((await program.getSemanticDiagnostics(path)).some(({ code }) => !UNUSED.has(code))) return false;
    const files = values.whole ? ["all"] : testsOf(mutant.file, mutant.line, tests, Number(values.seconds));
    const { outcome, by } = await meet(files);
    const result: Result = { ...mutant, outcome, tests: files.length, ...(by === undefined ? {} : { by }) };
    results.push(result);
    appendFileSync(RESULTS, `${JSON.stringify(result)}\n`);
    console.log(
      `${outcome.padEnd(8)} ${nameOf(mutant)}${by === undefined ? `, ${files.length} test files` : ` by ${by}`}`,
    );
    return true;
  } finally {
    restore();
    restore = () => {};
    await lookAgain([path]);
  }
}

/** Runs test files until a test fails. */
async function meet(files: readonly string[]): Promise<{ outcome: Outcome; by?: string }> {
  if (files.length === 0) return { outcome: "survived" };
  return values.whole
    ? await run("node", ["tools/run.mjs", "test"])
    : await run(process.execPath, ["test", "--bail", `--timeout=${TEST_MS}`, ...files]);
}

/** Runs tests, and ends them with their children if they take too long or too much memory. */
async function run(program: string, args: readonly string[]): Promise<{ outcome: Outcome; by?: string }> {
  const running = spawn(program, args, { cwd: ROOT, env: TEST_ENV, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  child = running;
  let output = "";
  for (const stream of [running.stdout, running.stderr])
    stream.on("data", (chunk) => (output = (output + chunk).slice(-50_000)));
  const begun = performance.now();
  let busy = { seconds: 0, at: begun };
  let isEnded = false;
  const watch = setInterval(() => {
    const { seconds, bytes } = usageOf(running.pid);
    const now = performance.now();
    if (seconds > busy.seconds + 0.2) busy = { seconds, at: now };
    // The runner of `npm test` waits for its workers, and takes nothing itself.
    const isOver = values.whole ? now - begun > WHOLE_LIMIT_MS : now - busy.at > IDLE_MS;
    if (!isOver && bytes < MEMORY_MAX && seconds < 2 * Number(values.seconds) + SECONDS_MORE) return;
    isEnded = true;
    endChild();
  }, 500);
  const code = await new Promise((resolve) => running.on("close", resolve));
  clearInterval(watch);
  endChild();
  if (isEnded) return { outcome: "timeout" };
  if (code === 0) return { outcome: "survived" };
  return { outcome: "killed", by: failureIn(output) };
}

/** Returns what a process has taken of a processor, and its memory; 0 if it has ended, or if the system does not say. */
function usageOf(pid: number | undefined): { seconds: number; bytes: number } {
  try {
    // The name of the program, in brackets, may contain spaces. `utime` and `stime` follow it, as fields 14 and 15.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    const pages = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1];
    return { seconds: (Number(fields[11]) + Number(fields[12])) / TICKS, bytes: Number(pages) * 4096 };
  } catch {
    return { seconds: 0, bytes: 0 };
  }
}

/** Returns the file and the title of the first failed test, or the last line, if no test failed but something else. */
function failureIn(output: string): string {
  const lines = output.trim().split("\n");
  const failed = lines.findIndex((line) => line.startsWith("(fail)"));
  const file = lines.slice(0, failed).findLast((line) => /\.test\.tsx?:$/.test(line));
  return failed < 0 ? (lines.at(-1) ?? "") : `${file ?? ""} ${lines[failed]?.slice("(fail) ".length)}`;
}

/** Ends the tests and what they started. */
function endChild(): void {
  if (child?.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // All of them have ended.
  }
  child = undefined;
}

/** A project whose files have changed since the last look. */
async function lookAgain(changed: readonly string[]): Promise<Project> {
  const old = snapshot;
  snapshot = await api.updateSnapshot({ fileChanges: { changed: [...changed] } });
  await old.dispose();
  const [project] = snapshot.getProjects();
  if (project === undefined) throw new Error("tsconfig.json has no project.");
  return project;
}

/** The last result of each fault that survived. */
function survivors(): Result[] {
  return [...new Map(results.map((result) => [nameOf(result), result])).values()].filter(
    ({ outcome }) => outcome === "survived",
  );
}

function report(): void {
  const all = new Map(results.map((result) => [nameOf(result), result]));
  const alive = survivors();
  const share = (100 * (all.size - alive.length)) / all.size;
  for (const folder of FOLDERS) {
    const its = [...all.values()].filter(({ file }) => file.startsWith(`${SRC}/${folder}/`));
    const lost = its.filter(({ outcome }) => outcome === "survived").length;
    console.log(`${folder}: ${its.length} faults, ${its.length - lost} noticed`);
  }
  for (const result of alive) console.log(`survived: ${nameOf(result)}`);
  console.log(`${all.size} faults, ${alive.length} survived: ${share.toFixed(1)} % noticed`);
}

/** A fault's name: its place and the change. */
function nameOf({ file, line, start, was, text }: Mutant): string {
  return `${file}:${line} (${start}) ${was} → ${text}`;
}
