import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../packages/server/test/support/config.ts";

const PASSING = 'import { test } from "bun:test"; test("adds", () => {});';

const program = (root: string, act: string) => `
  import { spawn } from "node:child_process";
  import { TestRun } from ${JSON.stringify(join(import.meta.dir, "run.mjs"))};
  const start = (args, options) => spawn(${JSON.stringify(process.execPath)}, args, options);
  const run = new TestRun(${JSON.stringify(root)}, start);
  process.exitCode = await ${act};`;

/** Runs the tests of a folder with these files. Returns the exit code, the output and its last line. */
async function run(
  files: Record<string, string>,
  words: string[] = [],
  env: Record<string, string> = {},
  method: "some" | "all" = "some",
) {
  const root = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const act = `run.${method}(${JSON.stringify(words)}, ${JSON.stringify(root)})`;
  const child = Bun.spawn(["node", "--input-type=module", "-e", program(root, act)], {
    cwd: root,
    env: { PATH: process.env.PATH ?? "", HOME: root, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, output: output + errors, last: output.trimEnd().split("\n").at(-1) };
}

test("a run succeeds if all tests pass, and says what it leaves out", async () => {
  const files = {
    "a.test.ts": PASSING,
    "inner/b.test.ts": PASSING,
    "c.kills.test.ts": PASSING,
    "dist/d.test.ts": PASSING,
  };
  const { code, output, last } = await run(files);
  expect([code, last]).toEqual([0, "2 passed, 0 failed, 0 skipped"]);
  expect(output).toContain("2 files that need only npm's packages");
  expect(output).toContain("Not run here, but by npm run test:all, which also runs servers on PostgreSQL: 1 kills.");
});

test("a name selects every file whose path contains it, whatever the file needs", async () => {
  const files = { "a.test.ts": PASSING, "inner/b.test.ts": PASSING, "inner/c.kills.test.ts": PASSING };
  expect((await run(files, ["inner"])).last).toBe("2 passed, 0 failed, 0 skipped");
  expect((await run(files, ["./a.test.ts", "c.kills"])).last).toBe("2 passed, 0 failed, 0 skipped");
});

test("a named file whose need is not met does not run, and the run says what is missing and fails", async () => {
  const files = { "a.test.ts": PASSING, "a.redis.test.ts": PASSING };
  const path = temporaryFolder();
  symlinkSync(Bun.which("node") ?? "", join(path, "node"));
  const { code, output, last } = await run(files, ["a."], { PATH: path });
  expect([code, last]).toEqual([1, "1 passed, 0 failed, 0 skipped"]);
  expect(output).toContain("1 file did not run: redis needs redis-server.");
});

test("a name that fits no file fails", async () => {
  expect(await run({ "a.test.ts": PASSING }, ["nothing"])).toMatchObject({
    code: 1,
    last: "0 passed, 0 failed, 0 skipped",
  });
});

test("the end of a run says why a test failed, and runs nothing again", async () => {
  const failing = 'import { expect, test } from "bun:test"; test("adds <1> & 1", () => expect("1 & 1").toBe("2"));';
  const { code, output, last } = await run({ "a.test.ts": PASSING, "b.test.ts": failing });
  expect([code, last]).toEqual([1, "1 passed, 1 failed, 0 skipped"]);
  expect(output).toContain("b.test.ts: adds <1> & 1\n");
  expect(output).toContain('Received: "1 & 1"');
  expect(output.match(/^\(fail\)/gm)).toHaveLength(1);
});

test("everything is the files without a need, on PostgreSQL those that use a database, and those with needs", async () => {
  const told = (name: string) => `
    // ${name} is written with eachDatabase.
    import { test } from "bun:test";
    test("tells", () => console.log("${name} on", process.env.PARLEY_TEST_DATABASES, process.env.PARLEY_TEST_DATABASE_URL));`;
  const files = {
    "a.test.ts": PASSING,
    "b.test.ts": told("b"),
    "c.kills.test.ts": told("c"),
    "d.machine.test.ts": PASSING,
  };
  const { code, output, last } = await run(files, [], { PARLEY_TEST_DATABASE_URL: "postgres://there" }, "all");
  expect([code, last]).toEqual([0, "4 passed, 0 failed, 0 skipped"]);
  const lines = output.split("\n").filter((line) => / on (sqlite|postgres)/.test(line) && !line.startsWith("=="));
  expect(lines.map((line) => line.trim()).sort()).toEqual([
    "b on postgres postgres://there",
    "b on sqlite,pglite",
    "c on sqlite,postgres postgres://there",
  ]);
  expect(output).toContain("1 file did not run: machine needs a machine of its own.");
});

test("a PostgreSQL that is named is used without any program of Debian", async () => {
  const files = { "a.test.ts": `${PASSING} // eachDatabase` };
  const path = temporaryFolder();
  symlinkSync(Bun.which("node") ?? "", join(path, "node"));
  const ended = await run(files, [], { PATH: path, PARLEY_TEST_DATABASE_URL: "postgres://there" }, "all");
  expect(ended.output).toContain("1 file on PostgreSQL");
  expect(ended.last).toBe("2 passed, 0 failed, 0 skipped");
});

test("an error outside of tests counts as a failure", async () => {
  const ended = await run({ "a.test.ts": PASSING, "b.test.ts": 'throw new Error("cannot be loaded");' });
  expect(ended).toMatchObject({ code: 1, last: "1 passed, 1 failed, 0 skipped" });
});

test("a skipped test fails where services are required", async () => {
  const files = { "a.test.ts": `${PASSING} test.skip("later", () => {});` };
  expect(await run(files)).toMatchObject({ code: 0, last: "1 passed, 0 failed, 1 skipped" });
  expect((await run(files, [], { PARLEY_REQUIRE_SERVICES: "1" })).code).toBe(1);
});
