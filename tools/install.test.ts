import { expect, test } from "bun:test";
import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../packages/server/test/support/config.ts";

/** A fake Bun that does nothing and succeeds, as large as a real program. */
const BUN = `#!/bin/sh\nexit 0\n${"#".repeat(1_100_000)}\n`;

async function run(cwd: string, ...words: string[]): Promise<string> {
  const child = Bun.spawn(words, { cwd, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`${words.join(" ")}: ${out}${err}`);
  return err;
}

/** A package as npm installs it, from a file next to its dependents. */
async function packed(root: string, name: string): Promise<string> {
  const folder = join(root, "sources", name);
  mkdirSync(join(folder, "bin"), { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version: "1.0.0" }));
  writeFileSync(join(folder, "bin/bun.exe"), name === "bun" ? BUN : "");
  chmodSync(join(folder, "bin/bun.exe"), 0o755);
  await run(root, "npm", "pack", folder, "--silent");
  return `file:${name}-1.0.0.tgz`;
}

test("what development needs besides is added to what a running server has, which stays as it is", async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, "tools"));
  for (const file of ["run.mjs", "server-bundle.mjs"]) {
    copyFileSync(join(import.meta.dir, file), join(root, "tools", file));
  }
  const dependencies = { bun: await packed(root, "bun"), kept: await packed(root, "kept") };
  const devDependencies = { tool: await packed(root, "tool") };
  writeFileSync(
    join(root, "package.json"),
    JSON.stringify({ name: "house", private: true, dependencies, devDependencies }),
  );
  await run(root, "npm", "install", "--package-lock-only", "--no-audit", "--no-fund");
  const node = (command: string) => run(root, "node", "tools/run.mjs", command);

  expect(await node("serve")).toContain("Installing");
  const [inUse, tool] = [join(root, "node_modules/kept/in-use"), join(root, "node_modules/tool/package.json")];
  writeFileSync(inUse, "");
  expect(existsSync(tool)).toBe(false);
  expect(await node("check")).toContain("Installing");
  expect([existsSync(tool), existsSync(inUse)]).toEqual([true, true]);
  for (const command of ["check", "serve"]) expect(await node(command)).not.toContain("Installing");
  expect(existsSync(inUse)).toBe(true);
}, 60_000);
