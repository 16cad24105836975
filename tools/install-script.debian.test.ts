import { expect, test } from "bun:test";
import { join } from "node:path";

const SCRIPT = join(import.meta.dir, "../deploy/install.sh");

test("the install script is plain sh without a finding of shellcheck, and short enough to be read", async () => {
  const check = Bun.spawn(["shellcheck", "--shell=sh", SCRIPT], { stdout: "pipe", stderr: "pipe" });
  expect(await new Response(check.stdout).text()).toBe("");
  expect(await check.exited).toBe(0);
  expect((await Bun.file(SCRIPT).text()).trimEnd().split("\n").length).toBeLessThanOrEqual(200);
});
