import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { findPython } from "../../packages/server/test/support/python.ts";

const python = findPython("httpx");

async function run(...command: string[]): Promise<{ code: number; text: string }> {
  const child = Bun.spawn(command, {
    cwd: import.meta.dir,
    env: { PATH: process.env.PATH ?? "", PYTHONPATH: "src", PYTHONDONTWRITEBYTECODE: "1" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, text: out + errors };
}

test("no Python file has more than 300 lines, or a line of more than 120 characters", async () => {
  const root = join(import.meta.dir, "../..");
  const files = [...new Glob("{clients,examples}/**/*.py").scanSync(root)];
  expect(files.length).toBeGreaterThan(20);
  const tooLong: string[] = [];
  for (const path of files) {
    const lines = (await Bun.file(join(root, path)).text()).split("\n");
    if (lines.length > 301 || lines.some((line) => line.length > 120)) tooLong.push(path);
  }
  expect(tooLong).toEqual([]);
});

describe("the Python client", () => {
  test("passes its own tests, with warnings as errors", async () => {
    const { code, text } = await run(python, "-W", "error", "-m", "unittest", "discover", "-s", "tests");
    if (code !== 0) throw new Error(text);
    expect(text).toMatch(/Ran \d\d+ tests/);
    expect(text).not.toContain("ResourceWarning");
  });

  // It takes 12 s of a core.
  test("passes the strict checks of types", async () => {
    const { code, text } = await run("mypy", "--cache-dir=/dev/null", "--python-executable", python);
    if (code !== 0) throw new Error(text);
  });
});
