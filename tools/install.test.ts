import { expect, test } from "bun:test";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../packages/server/test/support/config.ts";

/** A fake Bun that does nothing and succeeds. */
const BUN = "#!/bin/sh\nexit 0\n";

async function run(cwd: string, ...words: string[]): Promise<string> {
  const child = Bun.spawn(words, { cwd, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`${words.join(" ")}: ${out}${err}`);
  return err;
}

/** Makes a package that npm can install without a registry. Returns its specifier. */
async function packed(root: string, name: string, version = "1.0.0"): Promise<string> {
  const folder = join(root, "sources", name);
  mkdirSync(join(folder, "bin"), { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version }));
  writeFileSync(join(folder, "bin/bun.exe"), name === "bun" ? BUN : "");
  chmodSync(join(folder, "bin/bun.exe"), 0o755);
  await run(root, "npm", "pack", folder, "--silent");
  return `file:${name}-${version}.tgz`;
}

/** Makes a repository with the tools and with small dependencies. */
async function repository(keptVersion = "1.0.0"): Promise<string> {
  const root = temporaryFolder();
  mkdirSync(join(root, "tools"));
  for (const file of ["run.mjs", "server-bundle.mjs"]) {
    copyFileSync(join(import.meta.dir, file), join(root, "tools", file));
  }
  const dependencies = { bun: await packed(root, "bun"), kept: await packed(root, "kept", keptVersion) };
  const devDependencies = { tool: await packed(root, "tool") };
  const manifest = { name: "repository", private: true, dependencies, devDependencies };
  writeFileSync(join(root, "package.json"), JSON.stringify(manifest));
  await run(root, "npm", "install", "--package-lock-only", "--no-audit", "--no-fund");
  return root;
}

test("npm run adds development dependencies without deleting the files that a running server uses", async () => {
  const root = await repository();
  const node = (command: string) => run(root, "node", "tools/run.mjs", command);

  expect(await node("serve")).toContain("Installing");
  const [inUse, tool] = [join(root, "node_modules/kept/in-use"), join(root, "node_modules/tool/package.json")];
  writeFileSync(inUse, "");
  expect(existsSync(tool)).toBe(false);
  expect(await node("check")).toContain("Installing");
  expect([existsSync(tool), existsSync(inUse)]).toEqual([true, true]);
  for (const command of ["check", "serve"]) expect(await node(command)).not.toContain("Installing");
  expect(existsSync(inUse)).toBe(true);
});

test("npm start installs a new version of a dependency and keeps the development packages", async () => {
  const root = await repository();
  await run(root, "node", "tools/run.mjs", "check");
  // As `git pull` does: only the manifest and the lock file change.
  const newer = await repository("1.0.1");
  for (const file of ["kept-1.0.1.tgz", "package.json", "package-lock.json"]) {
    copyFileSync(join(newer, file), join(root, file));
  }

  expect(await run(root, "node", "tools/run.mjs", "serve")).toContain("Installing");
  const versionOf = (name: string) =>
    JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")).version;
  expect(["kept", "tool"].map(versionOf)).toEqual(["1.0.1", "1.0.0"]);
});

test("npm run installs once when two commands start at the same time", async () => {
  const root = await repository();
  const outputs = await Promise.all(["serve", "check"].map((command) => run(root, "node", "tools/run.mjs", command)));
  expect(outputs.filter((output) => output.includes("Waiting for another process"))).toHaveLength(1);
  expect(existsSync(join(root, "node_modules/tool/package.json"))).toBe(true);
  expect(existsSync(join(root, "dist/installing"))).toBe(false);
});

test("npm run installs although an earlier installation was killed", async () => {
  const root = await repository();
  mkdirSync(join(root, "dist"));
  writeFileSync(join(root, "dist/installing"), "");
  utimesSync(join(root, "dist/installing"), 0, 0);
  expect(await run(root, "node", "tools/run.mjs", "serve")).toContain("Installing");
});
