/** Unpacks a commit beside this clone, so that tests can run an older release. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./releases.ts";

const WORKSPACES = "@parley";

interface Locked {
  integrity?: string;
  dev?: boolean;
  /** For example the packages of other platforms. */
  optional?: boolean;
}

const lockOf = (folder: string): Record<string, Locked | undefined> =>
  (JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as { packages: Record<string, Locked> })
    .packages;

/** True if every package that a server of this folder needs is installed here, with the same content. */
function isInstalledHere(folder: string): boolean {
  const here = lockOf(ROOT);
  return Object.entries(lockOf(folder)).every(([path, locked]) => {
    if (!path.includes("node_modules/") || locked?.dev === true || locked?.optional === true) return true;
    return locked?.integrity === here[path]?.integrity;
  });
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
 * Unpacks a commit into a new folder, with its dependencies: those that are installed here if they are the same,
 * else npm installs them. Returns the path of its program.
 */
export async function unpackRelease(commit: string, folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const archive = join(folder, "release.tar");
  await run(["git", "archive", "--output", archive, commit], ROOT);
  await run(["tar", "-xf", archive], folder);
  if (isInstalledHere(folder)) linkModules(folder);
  else await run(["npm", "ci", "--omit=dev", "--prefer-offline", "--no-audit", "--no-fund"], folder);
  const main = join(folder, "packages/server/src/main.ts");
  if (!existsSync(main)) throw new Error(`The commit ${commit} has no server.`);
  return main;
}
