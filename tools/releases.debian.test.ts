import { expect, test } from "bun:test";
import { hasObject, ROOT, readChangelog } from "./releases.ts";

test("every release names a commit of this history, which has its version", async () => {
  const { releases } = await readChangelog();
  expect(releases.map(({ version }) => version)).toContain("0.1.0");
  for (const { version, commit } of releases) {
    expect(hasObject(`${commit}^{commit}`)).toBe(true);
    const isBefore = Bun.spawnSync(["git", "merge-base", "--is-ancestor", commit, "HEAD"], { cwd: ROOT });
    expect(isBefore.success).toBe(true);
    const manifest = Bun.spawnSync(["git", "show", `${commit}:packages/server/package.json`], { cwd: ROOT });
    expect(JSON.parse(manifest.stdout.toString())).toMatchObject({ version });
  }
});
