import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { SCENARIOS } from "../packages/server/test/cluster/scenarios/scenarios.ts";
import { LONE_SCENARIOS } from "../packages/server/test/faults/scenarios/scenarios.ts";

const ROOT = join(import.meta.dir, "..");
const page = readFileSync(join(ROOT, "docs/reference/guarantees.md"), "utf8");

test("the guarantees name tests that exist", () => {
  const files = [...new Glob("packages/*/{src,test}/**/*.test.ts").scanSync(ROOT)];
  const named = [...page.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, path = ""]) => path);
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !files.some((file) => file.endsWith(`/${path}`) || file === path))).toEqual([]);
});

test("the guarantees name scenarios that exist, and every scenario has its promise", () => {
  const known = [...LONE_SCENARIOS, ...SCENARIOS].map(({ name }) => name);
  const table = page.slice(0, page.indexOf("Tests of several nodes"));
  const named = [...table.matchAll(/scenarios? ((?:`[\w-]+`(?:, | and )?)+)/g)].flatMap(([, list = ""]) =>
    [...list.matchAll(/`([\w-]+)`/g)].map(([, name = ""]) => name),
  );
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
  expect(known.filter((name) => !named.includes(name))).toEqual([]);
});
