import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../../test/support/config.ts";
import { importsFolder, stagePath } from "../run/staged.ts";
import { removeFiles } from "./remove-files.ts";

test("an undone import leaves neither its report nor its stage, and those of others stay", async () => {
  const data = temporaryFolder();
  const report = (id: number) => join(importsFolder(data), String(id), "report.json");
  const all = [report(1), report(2), stagePath(data, "aa"), stagePath(data, "bb")];
  for (const path of all) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "{}");
  }
  await removeFiles(data, { id: 1, fingerprint: "aa" });
  expect(all.map((path) => existsSync(path))).toEqual([false, true, false, true]);
  await removeFiles(data, { id: 1, fingerprint: "aa" });
});
