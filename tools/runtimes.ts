/** The versions of Node with which Parley is tested, from npm's registry, at the versions of tools/runtimes. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const PACKAGE = join(import.meta.dir, "runtimes");
const FILES = ["package.json", "package-lock.json"];

/** A folder with the program `node`, for PATH. */
export interface Runtime {
  readonly name: string;
  readonly bin: string;
}

/**
 * Returns the versions of Node, oldest first, and installs them once: outside the repository, because they take 500 MB
 * and belong to every clone of this user.
 */
export function nodeRuntimes(): Runtime[] {
  const hash = new Bun.CryptoHasher("sha256");
  for (const file of FILES) hash.update(readFileSync(join(PACKAGE, file)));
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "parley/runtimes");
  const folder = join(cache, hash.digest("hex").slice(0, 16));
  if (!existsSync(folder)) install(cache, folder);
  const { optionalDependencies } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as {
    optionalDependencies: Record<string, string>;
  };
  const suffix = `-${process.arch}`;
  const names = Object.keys(optionalDependencies).filter((name) => name.endsWith(suffix));
  return names.sort().map((name) => {
    return { name: name.slice(0, -suffix.length), bin: join(folder, "node_modules", name, "bin") };
  });
}

/** Installs into a draft and renames it, so that a folder is complete or absent. */
function install(cache: string, folder: string): void {
  const draft = join(cache, `draft-${process.pid}`);
  mkdirSync(draft, { recursive: true });
  for (const file of FILES) copyFileSync(join(PACKAGE, file), join(draft, file));
  const command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = Bun.spawnSync(command, { cwd: draft, stdout: "ignore", stderr: "pipe" });
  try {
    if (!npm.success) throw new Error(`npm ci in tools/runtimes failed:\n${npm.stderr.toString()}`);
    renameSync(draft, folder);
  } catch (error) {
    // A concurrent run was first.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
