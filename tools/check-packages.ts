/**
 * Reads the packed packages as npm's users do, with publint and attw ("are the types wrong?"). A result is kept until a
 * source changes. The tools are a package of their own (tools/npm-lint), which is installed at the first use.
 */
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packPackages } from "./packed.ts";

const TOOLS = join(import.meta.dir, "npm-lint");

function run(command: string[], cwd: string): boolean {
  const child = Bun.spawnSync(command, { cwd, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  if (!child.success) console.error(`${command.join(" ")}:\n${child.stdout.toString()}${child.stderr.toString()}`);
  return child.success;
}

/** Installs the tools from their own lock file if they are missing or older than it. */
function install(): boolean {
  const [installed, lock] = [join(TOOLS, "node_modules/.package-lock.json"), join(TOOLS, "package-lock.json")];
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return true;
  return run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], TOOLS);
}

const { folder, tarballs } = packPackages();
const passed = join(folder, "passed");
if (!existsSync(passed)) {
  const program = (name: string) => [process.execPath, "--bun", `node_modules/.bin/${name}`];
  const isFine =
    install() &&
    tarballs
      .map(
        (tarball) =>
          run([...program("publint"), "run", tarball, "--strict"], TOOLS) &&
          // The packages are ES modules only, as every supported runtime takes them.
          run([...program("attw"), tarball, "--profile", "esm-only", "--no-emoji", "--no-color"], TOOLS),
      )
      .every(Boolean);
  if (isFine) writeFileSync(passed, "");
  else process.exitCode = 1;
}
