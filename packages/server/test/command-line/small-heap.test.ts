import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/config.ts";
import { serverMain } from "../support/servers/server-main.ts";

test.each([
  ["import slack absent.zip --dry-run", 1, "100000000"],
  ["import list", 0, ""],
])("`%s` ends with %p and has the heap %p", async (command, code, heap) => {
  const folder = temporaryFolder();
  const [preload, result] = [join(folder, "preload.ts"), join(folder, "heap")];
  writeFileSync(
    preload,
    `process.on("exit", () => require("node:fs").writeFileSync(${JSON.stringify(result)}, process.env.BUN_JSC_forceRAMSize ?? ""));`,
  );
  const child = Bun.spawn([process.execPath, "--preload", preload, serverMain(), ...command.split(" ")], {
    env: { PATH: process.env.PATH ?? "", PARLEY_DATA_DIR: folder },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  expect(await child.exited).toBe(code);
  expect(readFileSync(result, "utf8")).toBe(heap);
});
