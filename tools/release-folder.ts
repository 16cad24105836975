/** Unpacks a commit beside this clone, so that tests can run an older release. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./releases.ts";

const WORKSPACES = "@parley";

/** Returns what npm installs from a lock file, without the packages of the repository, which have its version. */
function dependencies(folder: string): string {
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as {
    packages: Record<string, unknown>;
  };
  const installed = Object.entries(packages).filter(([path]) => path.startsWith("node_modules/"));
  return JSON.stringify(installed.sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function run(command: string[], cwd: string): Promise<void> {
  const child = Bun.spawn(command, { cwd, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const err = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}: ${err}`);
}

/** Links the packages that are installed here; those of the repository to the ones in the folder. */
function linkModules(folder: string): void {
  const [from, to] = [join(ROOT, "node_modules"), join(folder, "node_modules")];
  mkdirSync(join(to, WORKSPACES), { recursive: true });
  for (const name of readdirSync(from)) {
    if (name !== WORKSPACES) symlinkSync(join(from, name), join(to, name));
  }
  for (const name of readdirSync(join(folder, "packages"))) {
    symlinkSync(join(folder, "packages", name), join(to, WORKSPACES, name));
  }
}

/**
 * Unpacks a commit into a new folder, with its dependencies: those that are installed here if both lock files agree,
 * else npm installs them. Returns the path of its program.
 */
export async function unpackRelease(commit: string, folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const archive = join(folder, "release.tar");
  await run(["git", "archive", "--output", archive, commit], ROOT);
  await run(["tar", "-xf", archive], folder);
  if (dependencies(folder) === dependencies(ROOT)) linkModules(folder);
  else await run(["npm", "ci", "--omit=dev", "--prefer-offline", "--no-audit", "--no-fund"], folder);
  const main = join(folder, "packages/server/src/main.ts");
  if (!existsSync(main)) throw new Error(`The commit ${commit} has no server.`);
  return main;
}
