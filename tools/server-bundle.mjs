// Bundles the server, because Bun loads a few files faster than 1,300 (docs/decisions/0004-start-from-a-bundle.md).
// This file uses Node alone, as run.mjs does.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** Pages that the server serves are part of the bundle. */
const PAGES = ["clients/python", "docs/guide", "docs/reference"];
/** Programs that the server serves are part of it, too. `shared` has what both use. */
const CLIENTS = ["clients/acp", "clients/claude-channel", "clients/shared"];
/** The files besides `packages` that a bundle depends on. The lock file names the versions of Bun and of all dependencies. */
const SETTINGS = ["package-lock.json", "tsconfig.json", "tools/bundle.ts"];
const USED_BY = "used-by-";
const DRAFT = "draft-";

/**
 * Returns the main file of a bundle of the current sources, and makes it first if needed. The bundle stays at least
 * until this process exits: the server loads parts of it later. Throws if it cannot be made or stored.
 */
export function serverBundle(root, bun) {
  const home = join(root, "dist/server");
  const key = fingerprint(root);
  const folder = join(home, key);
  const main = join(folder, "main.js");
  if (!existsSync(main)) {
    make(root, bun, key, home);
    deleteOthers(home, key);
  }
  const note = join(folder, `${USED_BY}${process.pid}`);
  writeFileSync(note, "");
  process.on("exit", () => rmSync(note, { force: true }));
  return main;
}

/** Hashes the content of the sources: timestamps mean nothing after a checkout. */
function fingerprint(root) {
  const hash = createHash("sha256");
  const add = (path) =>
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update("\0");
  for (const path of SETTINGS) add(path);
  for (const folder of PAGES) {
    for (const file of readdirSync(join(root, folder)).sort()) if (file.endsWith(".md")) add(`${folder}/${file}`);
  }
  const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}`);
  for (const folder of [...packages, ...CLIENTS].sort()) {
    for (const file of ["package.json", "tsconfig.json", "README.md", "LICENSE"]) {
      if (existsSync(join(root, folder, file))) add(`${folder}/${file}`);
    }
    // Every source file has an extension, and folders have none.
    const files = readdirSync(join(root, folder, "src"), { recursive: true }).sort();
    for (const file of files) if (/\.\w+$/.test(file) && !file.includes(".test.")) add(`${folder}/src/${file}`);
  }
  return hash.digest("hex").slice(0, 16);
}

/** Writes a bundle to a draft folder and renames it, so that an interrupted or concurrent start leaves no part of one. */
function make(root, bun, key, home) {
  console.error("Bundling the server (once after each change; it takes some seconds) ...");
  const draft = join(home, `${DRAFT}${process.pid}`);
  mkdirSync(draft, { recursive: true });
  try {
    // Standard output belongs to the command that is going to run.
    const { status } = spawnSync(bun, ["tools/bundle.ts", draft], { cwd: root, stdio: ["ignore", 2, 2] });
    if (status !== 0) throw new Error("Bun could not bundle the sources (see above)");
    // After a power loss, a bundle must be complete or absent: nothing checks its content later.
    for (const name of readdirSync(draft)) {
      const file = openSync(join(draft, name), "r+");
      fsyncSync(file);
      closeSync(file);
    }
    if (fingerprint(root) !== key) throw new Error("the sources changed while Bun read them");
    renameSync(draft, join(home, key));
  } catch (error) {
    // A concurrent start may have made the same bundle.
    if (!existsSync(join(home, key, "main.js"))) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Deletes the bundles that no living process uses, and the drafts of interrupted starts. */
function deleteOthers(home, key) {
  for (const name of readdirSync(home)) {
    const folder = join(home, name);
    try {
      const notes = name.startsWith(DRAFT) ? [name] : readdirSync(folder).filter((file) => file.startsWith(USED_BY));
      if (name === key || notes.some((note) => isAlive(Number(note.split("-").at(-1))))) continue;
      // Renames it first, so that no start finds a half-deleted bundle.
      const doomed = join(home, `${DRAFT}${process.pid}`);
      renameSync(folder, doomed);
      rmSync(doomed, { recursive: true });
    } catch {
      // A concurrent start is deleting it.
    }
  }
}

/** Returns whether a process with this id exists. */
function isAlive(pid) {
  if (!(pid > 0)) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It belongs to another user.
    return error.code === "EPERM";
  }
}
