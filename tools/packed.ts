/** Packs the packages that npm publishes, once for each state of their sources. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";

const ROOT = join(import.meta.dir, "..");
const HOME = join(ROOT, "dist/npm");
/** In the order in which they are installed. */
export const PUBLISHED = ["protocol", "sdk"] as const;
/** The files that decide the content of the tarballs and the result of their checks. */
const SOURCES = [
  "{tsconfig,tsconfig.packages,package-lock}.json",
  "packages/{protocol,sdk}/{package.json,tsconfig.dist.json,README.md,LICENSE}",
  "packages/{protocol,sdk}/src/**/*.ts",
  "tools/{prepack,packed,check-packages}.ts",
  "tools/npm-lint/package-lock.json",
];

/** A folder with the tarballs of the current sources. */
export interface Packed {
  readonly folder: string;
  /** The paths of the tarballs, in the order of `PUBLISHED`. */
  readonly tarballs: readonly string[];
}

function digest(): string {
  const hash = new Bun.CryptoHasher("sha256");
  const files = SOURCES.flatMap((pattern) => {
    const found = [...new Glob(pattern).scanSync({ cwd: ROOT })];
    // Otherwise changed sources would go unnoticed.
    if (found.length === 0) throw new Error(`tools/packed.ts: no file matches ${pattern}`);
    return found;
  });
  files.sort();
  for (const path of files)
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(ROOT, path)))
      .update("\0");
  return hash.digest("hex").slice(0, 16);
}

/** Returns the tarballs of the current sources, as `npm pack` makes them. */
export function packPackages(): Packed {
  const key = digest();
  const folder = join(HOME, key);
  if (!existsSync(folder)) {
    pack(folder);
    // Older tarballs, and what interrupted runs left.
    for (const name of readdirSync(HOME)) if (name !== key) rmSync(join(HOME, name), { recursive: true, force: true });
  }
  const files = readdirSync(folder);
  const tarballs = PUBLISHED.map((name) => {
    const file = files.find((each) => each.startsWith(`parley-${name}-`) && each.endsWith(".tgz"));
    if (file === undefined) throw new Error(`${folder} has no tarball of ${name}: delete it`);
    return join(folder, file);
  });
  return { folder, tarballs };
}

/** Packs into a draft and renames it, so that a folder is complete or absent. */
function pack(folder: string): void {
  const draft = join(HOME, `draft-${process.pid}`);
  mkdirSync(draft, { recursive: true });
  for (const name of PUBLISHED) {
    const command = ["npm", "pack", "--loglevel=error", "--pack-destination", draft];
    const npm = Bun.spawnSync(command, { cwd: join(ROOT, "packages", name), stdout: "ignore", stderr: "pipe" });
    if (!npm.success) throw new Error(`npm pack in packages/${name} failed:\n${npm.stderr.toString()}`);
  }
  try {
    renameSync(draft, folder);
  } catch (error) {
    // A concurrent run was first.
    if (!existsSync(folder)) throw error;
  }
}
