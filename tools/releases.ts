/**
 * Reads the releases from CHANGELOG.md. A released version names its commit there, because a clone may have no tags.
 * `node_modules/.bin/bun tools/releases.ts` lists them.
 */
import { join } from "node:path";

export const ROOT = join(import.meta.dir, "..");

/** A released version. */
export interface Release {
  version: string;
  /** Year, month and day. */
  date: string;
  /** The full hash of its commit. */
  commit: string;
}

/** The versions of a changelog. */
export interface Changelog {
  /** The version that the head of the branch is going to be. */
  next: string;
  /** Newest first. */
  releases: Release[];
}

const SECTION = /^## \[(\d+\.\d+\.\d+)\] - (.*)\n\n(?:Commit `(.*)`\.\n)?/gm;

/**
 * Reads the headings of a changelog: first `## [version] - unreleased`, then for each release `## [version] - date`
 * with the paragraph "Commit `hash`." below it. Throws if they differ from that.
 */
export function parseChangelog(text: string): Changelog {
  const [first, ...others] = [...text.matchAll(SECTION)];
  const headings = text.match(/^## /gm)?.length ?? 0;
  if (first?.[1] === undefined || first[2] !== "unreleased" || headings !== others.length + 1)
    throw new Error("CHANGELOG.md must begin with an unreleased version, and each heading must name a version.");
  const releases = others.map(([, version = "", date = "", commit = ""]) => {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || !/^[0-9a-f]{40}$/.test(commit))
      throw new Error(`The release ${version} in CHANGELOG.md needs a date, and the full hash of its commit.`);
    return { version, date, commit };
  });
  return { next: first[1], releases };
}

export const readChangelog = async (): Promise<Changelog> =>
  parseChangelog(await Bun.file(join(ROOT, "CHANGELOG.md")).text());

/** Returns whether git has this object in the history that is checked out, such as `<commit>:<path>`. */
export function hasObject(name: string): boolean {
  return Bun.spawnSync(["git", "cat-file", "-e", name], { cwd: ROOT, stderr: "ignore" }).success;
}

if (import.meta.main) {
  for (const { version, date, commit } of (await readChangelog()).releases) console.log(version, date, commit);
}
