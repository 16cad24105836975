import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { REASONS } from "./heavy.mjs";
import { NEEDS } from "./needs.mjs";
import { slowestLines } from "./report.mjs";
import { byNeed, named, needOf, splitWords, testFiles } from "./select.mjs";

const ROOT = join(import.meta.dir, "../..");
const files = testFiles(ROOT);

test("the last part of a name is the need, and other words are none", () => {
  expect(needOf("a/bus.nodes.test.ts", NEEDS)).toBe("nodes");
  expect(needOf("a/page.browser.test.tsx", NEEDS)).toBe("browser");
  expect(needOf("a/nodes.test.ts", NEEDS)).toBeNull();
  expect(needOf("a/timeline.property.test.ts", NEEDS)).toBeNull();
  expect(needOf("a/kills/x.test.ts", NEEDS)).toBeNull();
});

test("every need has files and a reason, and every file of this repository is in one group", () => {
  const groups = byNeed(files, NEEDS);
  expect(Object.keys(groups).sort()).toEqual(Object.keys(NEEDS).sort());
  expect(Object.values(NEEDS).every(({ why }) => why.length > 20)).toBe(true);
  const plain = files.filter((path) => needOf(path, NEEDS) === null);
  expect(plain.length + Object.values(groups).flat().length).toBe(files.length);
});

/** They test what only Linux has. */
const ONLY_LINUX = [
  "packages/server/test/faults/open-files.test.ts",
  "packages/server/test/http/connections.time.test.ts",
];

test("no installed program decides whether a test runs: its path does", () => {
  const asks = (path: string) => /\.(?:skipIf|if|todoIf)\(/.test(readFileSync(join(ROOT, path), "utf8"));
  const asking = files.filter((path) => path !== "tools/testing/select.test.ts" && asks(path));
  expect(asking.filter((path) => !ONLY_LINUX.includes(path))).toEqual([]);
});

test("names find files by any part of their path", () => {
  expect(named(files, ["testing/select"])).toEqual(["tools/testing/select.test.ts"]);
  expect(named(files, ["./tools/testing/select.test.ts"])).toEqual(["tools/testing/select.test.ts"]);
  expect(named(files, [])).toEqual(files);
});

test("options go to Bun, with the value of -t", () => {
  expect(splitWords(["sessions", "-t", "a name", "--bail=1", "keys"])).toEqual({
    names: ["sessions", "keys"],
    options: ["-t", "a name", "--bail=1"],
  });
});

test("a file above 10 s of processor time without a reason is named", () => {
  const lines = slowestLines(
    [
      { path: "heavy.test.ts", seconds: 30 },
      { path: "known.test.ts", seconds: 12 },
      { path: "light.test.ts", seconds: 9 },
    ],
    { "known.test.ts": "because" },
  );
  expect(lines).toHaveLength(4);
  expect(lines[3]).toStartWith("heavy.test.ts takes more than 10 s");
});

test("the files with a reason for their time exist", () => {
  expect(Object.keys(REASONS).filter((path) => !files.includes(path))).toEqual([]);
});
