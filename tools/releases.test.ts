import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { parseChangelog, ROOT, readChangelog } from "./releases.ts";

const HASH = "0123456789abcdef0123456789abcdef01234567";

test("a changelog lists the next version and the releases, newest first", () => {
  const text = `# Changelog\n\n## [0.3.0] - unreleased\n\n### Added\n\n## [0.2.0] - 2026-12-01\n\nCommit \`${HASH}\`.\n`;
  expect(parseChangelog(text)).toEqual({
    next: "0.3.0",
    releases: [{ version: "0.2.0", date: "2026-12-01", commit: HASH }],
  });
});

test("a release without a date, without a full hash, or under another heading is an error", () => {
  const head = "## [0.3.0] - unreleased\n\n";
  expect(() => parseChangelog(`${head}## [0.2.0] - soon\n\nCommit \`${HASH}\`.\n`)).toThrow("needs a date");
  expect(() => parseChangelog(`${head}## [0.2.0] - 2026-12-01\n\nCommit \`${HASH.slice(1)}\`.\n`)).toThrow("full hash");
  expect(() => parseChangelog(`${head}## [0.2.0] - 2026-12-01\n\nText.\n`)).toThrow("full hash");
  expect(() => parseChangelog(`${head}## Older\n`)).toThrow("each heading");
  expect(() => parseChangelog(`## [0.2.0] - 2026-12-01\n\nCommit \`${HASH}\`.\n`)).toThrow("unreleased");
});

test("all packages have the version of the next release", async () => {
  const { next } = await readChangelog();
  const manifests = ["package.json", ...new Glob("{packages,clients}/*/package.json").scanSync(ROOT)];
  const versions = await Promise.all(manifests.map(async (path) => (await Bun.file(join(ROOT, path)).json()).version));
  expect(versions).toEqual(manifests.map(() => next));
  expect(await Bun.file(join(ROOT, "clients/python/pyproject.toml")).text()).toContain(`\nversion = "${next}"\n`);
});
