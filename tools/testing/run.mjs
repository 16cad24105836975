// Runs the tests: `npm test` (what needs only npm's packages), `npm run test:all` (everything), or the files with some names.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { REASONS } from "./heavy.mjs";
import { NEEDS, postgres } from "./needs.mjs";
import { startPostgres } from "./postgres.mjs";
import { countTests, failureTexts, readReport, readSeconds, slowestLines } from "./report.mjs";
import { byNeed, named, needOf, splitWords, testFiles } from "./select.mjs";
import { noteUnchanged, withoutUnchanged } from "./unchanged.mjs";

/** Many tests wait, so there are two workers more than cores. The files of a worker share what is expensive to start (PGlite). */
const WORKERS = availableParallelism() + 2;
const HERE = dirname(fileURLToPath(import.meta.url));
/** Guards against a test that hangs, in milliseconds; slow machines take ten times longer than quick ones. */
const TIMEOUT_MS = 300_000;
/** In .ci/run only, until ten runs in a row need none: files that fail beside the others run once more, alone. */
const SECOND_CHANCE = process.env.TESTS_SECOND_CHANCE === "1";
/** Needs whose files a run leaves out, and says so. */
const LEFT_OUT = new Set(process.env.TESTS_LEAVE_OUT?.split(","));
/** More failed files than this have a cause. */
const UNSTEADY_MAX = 4;
/** Servers run on the first; stores and src/db on both. */
const HERMETIC = "sqlite,pglite";
const ON_BOTH = "sqlite,postgres";
const USES_DATABASES = /\b(?:eachDatabase|eachDialect|SERVER_DATABASES)\b/;

/** What the processors of this machine have done since it started, in milliseconds: also for databases and browsers. */
function usage() {
  const all = cpus().map(({ times }) => times);
  const sum = (list) => list.reduce((sum, time) => sum + time, 0);
  const total = sum(all.flatMap((times) => Object.values(times)));
  return { all: total, busy: total - sum(all.map(({ idle }) => idle)) };
}

const say = (text) => console.log(`\n== ${text}`);
const count = (files, what = "file") => `${files.length} ${what}${files.length === 1 ? "" : "s"}`;

/** A run of the tests of the repository in `root`. `startBun` starts Bun with arguments and the options of `spawn`. */
export class TestRun {
  #root;
  #startBun;
  #isRequired = process.env.PARLEY_REQUIRE_SERVICES === "1";
  #total = { passed: 0, failed: 0, skipped: 0, failures: [] };
  #problems = [];
  #parts = 0;
  /** For reports. A test of this repository may run others, so each run has its own. */
  #folder = mkdtempSync(join(tmpdir(), "parley-tests-"));

  constructor(root, startBun) {
    this.#root = root;
    this.#startBun = startBun;
    mkdirSync(join(root, "dist/tests"), { recursive: true });
  }

  /** `npm test`: without names, the files that need nothing; with names, all files of these names. `folder` is where it was called. */
  async some(words, folder) {
    const { names, options } = splitWords(words);
    const here = relative(this.#root, folder);
    const files = named(testFiles(this.#root), names).filter((path) => here === "" || path.startsWith(`${here}/`));
    const apart = byNeed(files, NEEDS);
    if (names.length > 0) await this.#withNeeds(files, options, undefined);
    else {
      const plain = files.filter((path) => needOf(path, NEEDS) === null);
      say(`${count(plain)} that need only npm's packages; servers on SQLite, stores on SQLite and PGlite`);
      const rest = Object.entries(apart).map(([need, files]) => `${files.length} ${need}`);
      if (rest.length > 0)
        console.log(
          `Not run here, but by npm run test:all, which also runs servers on PostgreSQL: ${rest.join(", ")}.`,
        );
      await this.#bunTest(plain, options, HERMETIC);
    }
    return this.#conclude();
  }

  /** `npm run test:all`: everything. With `isPlainDone`, what `npm test` has not run: `.ci/run` runs that before. */
  async all(words, { isPlainDone = false } = {}) {
    const { options } = splitWords(words);
    const files = testFiles(this.#root);
    const plain = files.filter((path) => needOf(path, NEEDS) === null);
    if (!isPlainDone) {
      say(`npm test: ${count(plain)}, servers on SQLite, stores on SQLite and PGlite`);
      await this.#bunTest(plain, options, HERMETIC);
    }
    await this.#withNeeds(
      files,
      options,
      plain.filter((path) => USES_DATABASES.test(readFileSync(join(this.#root, path), "utf8"))),
    );
    return this.#conclude();
  }

  /** Runs the files with needs that are met, and `again` on PostgreSQL. Without `again`, files without a need run, too. */
  async #withNeeds(all, options, again) {
    const files = all.filter((path) => !LEFT_OUT.has(needOf(path, NEEDS)));
    if (files.length < all.length) say(`${all.length - files.length} files left out, as TESTS_LEAVE_OUT says`);
    const { possible, missing } = this.#possible(files);
    const usesPostgres =
      again !== undefined || possible.some((path) => ["nodes", "postgres", "debian"].includes(needOf(path, NEEDS)));
    const database = usesPostgres && postgres().length === 0 ? await this.#database() : null;
    try {
      const env = database === null ? {} : { PARLEY_TEST_DATABASE_URL: database.url };
      const databases = database === null ? HERMETIC : ON_BOTH;
      if (again !== undefined && database !== null) {
        say(`${count(again)} on PostgreSQL`);
        await this.#bunTest(again, options, "postgres", env);
      }
      const isApart = (path) => needOf(path, NEEDS) !== null;
      const wanted = again === undefined ? possible : withoutUnchanged(this.#root, possible.filter(isApart));
      say(`${count(wanted)}${again === undefined ? "" : " with needs"}, on ${databases.replace(",", " and ")}`);
      const { failed } = await this.#besideAndAlone(wanted, options, databases, env);
      if (again !== undefined && failed === 0) noteUnchanged(this.#root, wanted);
    } finally {
      await database?.stop();
    }
    for (const [need, { files, what }] of Object.entries(missing)) {
      const text = `${count(files)} did not run: ${need} needs ${what.join(", ")}.`;
      console.log(text);
      if (again === undefined || this.#isRequired) this.#problems.push(text);
    }
  }

  /** Runs the files side by side, and then, one by one, those whose promises with a time other tests would delay. */
  async #besideAndAlone(files, options, databases, env) {
    const timed = files.filter((path) => needOf(path, NEEDS) === "time");
    const beside = files.filter((path) => !timed.includes(path));
    const results = [await this.#bunTest(beside, options, databases, env)];
    if (timed.length > 0) {
      if (beside.length > 0) say(`${count(timed)} with promises of a time, one by one`);
      results.push(await this.#bunTest(timed, options, databases, env, 1));
    }
    return { failed: results.reduce((sum, { failed }) => sum + failed, 0) };
  }

  #possible(files) {
    const missing = {};
    for (const [need, files_] of Object.entries(byNeed(files, NEEDS))) {
      const what = NEEDS[need].missing();
      if (what.length > 0) missing[need] = { files: files_, what };
    }
    return { possible: files.filter((path) => !Object.hasOwn(missing, needOf(path, NEEDS) ?? "")), missing };
  }

  /** The PostgreSQL that the environment names, or one of this run. */
  async #database() {
    const url = process.env.PARLEY_TEST_DATABASE_URL;
    return url ? { url, stop: async () => {} } : await startPostgres();
  }

  /** Runs files with Bun and adds their results to the total. */
  async #bunTest(files, options, databases, env = {}, workers = WORKERS) {
    if (files.length === 0) return { failed: 0 };
    let counted = await this.#results(files, options, databases, env, workers);
    const failing = [...new Set(counted.failures.map(({ file }) => file))];
    if (
      SECOND_CHANCE &&
      counted.failures.length === counted.failed &&
      failing.length <= UNSTEADY_MAX &&
      counted.failed > 0
    ) {
      say(`UNSTEADY: failed beside the others, now alone: ${failing.join(" ")}`);
      for (const text of failureTexts(counted.failures)) console.log(text);
      const alone = await this.#results(failing, options, databases, env, 1);
      const steady = counted.failed - alone.failures.length;
      counted = { ...counted, passed: counted.passed + steady, failed: alone.failed, failures: alone.failures };
    }
    for (const key of ["passed", "failed", "skipped"]) this.#total[key] += counted[key];
    this.#total.failures.push(...counted.failures);
    return counted;
  }

  /** Runs files with Bun and returns their results. */
  async #results(files, options, databases, env, workers) {
    const report = join(this.#folder, `report-${++this.#parts}.xml`);
    const args = [
      ...["test", `--parallel=${workers}`, "--no-isolate", `--timeout=${TIMEOUT_MS}`],
      ...[
        `--timings=${join(this.#root, "dist/tests/times.json")}`,
        `--timings=${join(HERE, "times.json")}`,
        "--update-timings",
      ],
      ...["--reporter=junit", `--reporter-outfile=${report}`, `--preload=${join(HERE, "cpu.ts")}`],
      ...options,
      ...files.map((path) => `./${path}`),
    ];
    const begin = { ...usage(), at: performance.now() };
    const ended = await this.#spawn(args, {
      ...{
        PARLEY_TEST_CPU_FILE: this.#cpuFile,
        PARLEY_TEST_DATABASES: databases,
        PARLEY_TEST_DATABASE_URL: "",
      },
      ...env,
    });
    const { busy, all } = usage();
    const share = Math.round((100 * (busy - begin.busy)) / (all - begin.all));
    const seconds = Math.round((performance.now() - begin.at) / 1000);
    console.log(`\n${count(files)} in ${seconds} s; the processors of this machine were busy for ${share} % of it.`);
    return countTests(readReport(report), ended);
  }

  get #cpuFile() {
    return join(this.#folder, "cpu.jsonl");
  }

  /** Prints Bun's output. Returns its exit code and the end of the output. */
  #spawn(args, env) {
    return new Promise((resolve, reject) => {
      const color = process.stdout.isTTY ? { FORCE_COLOR: "1" } : {};
      const child = this.#startBun(args, {
        cwd: this.#root,
        env: { ...process.env, ...color, ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let end = "";
      for (const [from, to] of [
        [child.stdout, process.stdout],
        [child.stderr, process.stderr],
      ]) {
        from.on("data", (chunk) => {
          to.write(chunk);
          end = (end + chunk).slice(-4000);
        });
      }
      child.on("error", reject);
      child.on("close", (code, signal) => {
        if (signal !== null) this.#problems.push(`${signal} ended the tests.`);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with the control character ESC.
        resolve({ code: code ?? 1, end: end.replace(/\x1b\[[0-9;]*m/g, "") });
      });
    });
  }

  /** Prints what failed and the summary. Returns the exit code. */
  #conclude() {
    const { passed, failed, skipped, failures } = this.#total;
    if (passed > 100) {
      say("The files that took the most of a processor");
      for (const line of slowestLines(readSeconds(this.#cpuFile), REASONS)) console.log(line);
    }
    rmSync(this.#folder, { recursive: true });
    if (failures.length > 0) say("Failed tests");
    for (const text of failureTexts(failures)) console.log(text);
    if (passed + failed + skipped === 0) this.#problems.push("No test ran.");
    if (skipped > 0 && this.#isRequired) this.#problems.push("Tests were skipped, which is not allowed here.");
    for (const problem of this.#problems) console.log(problem);
    console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
    return failed > 0 || this.#problems.length > 0 ? 1 : 0;
  }
}
