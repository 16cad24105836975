import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/support/config.ts";
import { removeOldFiles } from "./old-files.ts";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);

const setAge = (path: string, days: number): void => {
  const seconds = (NOW - days * DAY_MS) / 1_000;
  utimesSync(path, seconds, seconds);
};

test("the files of imports are removed after 30 days, and newer ones stay", async () => {
  const dataDir = temporaryFolder();
  const folder = join(dataDir, "imports");
  const [staged, dryRuns] = [join(folder, "staged"), join(folder, "dry-run")];
  for (const [name, days] of [
    ["old", 30.1],
    ["new", 29.9],
  ] as const) {
    mkdirSync(join(dryRuns, name), { recursive: true });
    mkdirSync(staged, { recursive: true });
    const files = [join(folder, `${name}.json`), join(staged, `${name}.sqlite`), join(dryRuns, name, "users.csv")];
    for (const path of files) writeFileSync(path, "words of people");
    for (const path of [...files, join(dryRuns, name)]) setAge(path, days);
  }
  // The folders themselves stay, however old they are.
  for (const path of [staged, dryRuns]) setAge(path, 90);
  writeFileSync(join(dataDir, "parley.sqlite"), "");
  setAge(join(dataDir, "parley.sqlite"), 90);

  await removeOldFiles(dataDir, NOW);
  expect(readdirSync(folder).sort()).toEqual(["dry-run", "new.json", "staged"]);
  expect(readdirSync(staged)).toEqual(["new.sqlite"]);
  expect(readdirSync(dryRuns)).toEqual(["new"]);
  expect(existsSync(join(dryRuns, "new", "users.csv"))).toBe(true);
  expect(readdirSync(dataDir).sort()).toEqual(["imports", "parley.sqlite"]);
});

test("without a folder of imports there is nothing to remove", async () => {
  const dataDir = temporaryFolder();
  await removeOldFiles(dataDir, NOW);
  expect(readdirSync(dataDir)).toEqual([]);
});
