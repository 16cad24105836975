import { expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../packages/server/test/support/config.ts";
import { debianPackage } from "./debian.ts";

test("lintian finds no error in the Debian package", async () => {
  const folder = temporaryFolder();
  // Any program will do: the real one takes lintian a minute.
  const executable = join(folder, "parley");
  copyFileSync("/bin/true", executable);
  const of = { executable, folder, version: "0.3.0", architecture: "amd64" };
  const file = await debianPackage(of);
  const lintian = Bun.spawn(["lintian", "--allow-root", "--fail-on", "error", file], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const said = await new Response(lintian.stdout).text();
  expect(said.split("\n").filter((line) => line.startsWith("E:"))).toEqual([]);
  expect(await lintian.exited).toBe(0);
});
