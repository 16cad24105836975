import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../packages/server/test/support/config.ts";

setDefaultTimeout(60_000);

const PASSING = 'import { test } from "bun:test"; test("adds", () => {});';
/** Fails in the first run only. */
const UNSTEADY = `
  import { expect, test } from "bun:test";
  import { existsSync, writeFileSync } from "node:fs";
  test("passes later", () => {
    const hasRun = existsSync("has-run");
    writeFileSync("has-run", "");
    expect(hasRun).toBe(true);
  });`;

/** Runs tools/ci.mjs in a project with these files. Returns the exit code, the output and its last line. */
async function ci(files: Record<string, string>, scripts: Record<string, string> = {}) {
  const folder = temporaryFolder();
  const all = { check: "true", test: `${process.execPath} test --parallel`, ...scripts };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: all }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const run = Bun.spawn(["node", join(import.meta.dir, "ci.mjs"), "npm", "test"], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", HOME: folder },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  const output = (await run.stdout.text()).trimEnd();
  return { code: await run.exited, output, last: output.split("\n").at(-1) };
}

test("continuous integration succeeds if all tests pass", async () => {
  const run = await ci({ "a.test.ts": PASSING, "b.test.ts": PASSING });
  expect(run).toMatchObject({ code: 0, last: "2 passed, 0 failed, 0 skipped" });
});

test("continuous integration prints why a test failed, and runs its file again", async () => {
  const failing = 'import { expect, test } from "bun:test"; test("adds <1> & 1", () => expect("1 & 1").toBe("2"));';
  const run = await ci({ "a.test.ts": PASSING, "b.test.ts": failing });
  expect(run).toMatchObject({ code: 1, last: "1 passed, 1 failed, 0 skipped" });
  expect(run.output).toContain("b.test.ts: adds <1> & 1\n");
  expect(run.output).toContain('Received: "1 & 1"');
  expect(run.output).toContain("npm test -- b.test.ts (alone, run 1 of 2)");
});

test("continuous integration succeeds if a failed file passes alone twice, and names it as unsteady", async () => {
  const run = await ci({ "a.test.ts": PASSING, "b.test.ts": UNSTEADY });
  expect(run).toMatchObject({ code: 0, last: "2 passed, 0 failed, 0 skipped" });
  expect(run.output).toMatch(/^== UNSTEADY: .* b\.test\.ts$/m);
});

test("continuous integration does not repeat more than three failed files", async () => {
  const failing = 'import { test } from "bun:test"; test("throws", () => { throw new Error("no"); });';
  const run = await ci(Object.fromEntries(["a", "b", "c", "d"].map((name) => [`${name}.test.ts`, failing])));
  expect(run).toMatchObject({ code: 1, last: "0 passed, 4 failed, 0 skipped" });
  expect(run.output).not.toContain("alone");
});

test("continuous integration fails if a test is skipped", async () => {
  const run = await ci({ "a.test.ts": `${PASSING} test.skip("later", () => {});` });
  expect(run).toMatchObject({ code: 1, last: "1 passed, 0 failed, 1 skipped" });
});

test("continuous integration fails if a file cannot be loaded, although the only failed test passes alone", async () => {
  const run = await ci({ "a.test.ts": 'import "./absent.ts";', "b.test.ts": UNSTEADY });
  expect(run).toMatchObject({ code: 1, last: "0 passed, 2 failed, 0 skipped" });
});

test("continuous integration fails if no test ran, if the runner crashes, and if a check fails", async () => {
  expect(await ci({}, { test: "true" })).toMatchObject({ code: 1, last: "0 passed, 0 failed, 0 skipped" });
  expect(await ci({}, { test: "kill -9 $$" })).toMatchObject({ code: 1, last: "0 passed, 1 failed, 0 skipped" });
  const run = await ci({ "a.test.ts": PASSING }, { check: "exit 1" });
  expect(run).toMatchObject({ code: 1, last: "1 passed, 0 failed, 0 skipped" });
  expect(run.output).toContain("npm run check failed");
});
