// The server in a few files that Bun reads faster than its 1,300 sources, made anew when these have changed. Plain Node, as run.mjs is.
import { spawn } from "node:child_process";
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

/** What a bundle is made of besides `src` of each package; the lock file names Bun and everything else from outside. */
const SETTINGS = ["package-lock.json", "tsconfig.json", "tools/bundle.ts"];
const OF_PACKAGES = ["package.json", "tsconfig.json"];
const HOME = "dist/server";
const USER = "used-by-";
const DRAFT = ".draft-";
/** Somebody who waits longer is told for what. */
const PATIENCE_MS = 1000;
/** Sources that change while they are bundled, as when a branch is checked out, are bundled again so often. */
const TRIES = 3;

/**
 * The bundle of the sources as they are now: found, or made by Bun. Throws when it cannot be kept or made. Whoever runs it is noted in it
 * (`usedBy`), because parts of it are loaded when they are first needed: it stays until nobody uses it and others have taken its place.
 */
export async function openBundle(root, bun) {
  for (let tries = 0; tries < TRIES; tries++) {
    const key = fingerprint(root);
    const folder = join(root, HOME, key);
    const main = join(folder, "main.js");
    if (!existsSync(main) && !(await make(root, bun, key))) continue;
    const note = (pid) => join(folder, `${USER}${pid}`);
    let user = process.pid;
    writeFileSync(note(user), "");
    return {
      main,
      usedBy(pid) {
        renameSync(note(user), note(pid));
        user = pid;
      },
      close: () => rmSync(note(user), { force: true }),
    };
  }
  throw new Error("the sources keep changing");
}

/** Names what the sources say, not when they were written: a clock or a checkout cannot make an old bundle look current. */
function fingerprint(root) {
  const hash = createHash("sha256");
  const add = (path) => {
    const content = readFileSync(join(root, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  };
  for (const path of SETTINGS) add(path);
  for (const name of readdirSync(join(root, "packages")).sort()) {
    const folder = `packages/${name}`;
    for (const path of OF_PACKAGES.map((file) => `${folder}/${file}`)) if (existsSync(join(root, path))) add(path);
    for (const path of sourcesIn(root, `${folder}/src`)) add(path);
  }
  return hash.digest("hex").slice(0, 16);
}

function sourcesIn(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return sourcesIn(root, path);
      return entry.isFile() && !entry.name.includes(".test.") ? [path] : [];
    });
}

/** Makes the bundle aside and puts it in place whole. False: the sources have changed meanwhile. */
async function make(root, bun, key) {
  const home = join(root, HOME);
  const folder = join(home, key);
  const draft = `${folder}${DRAFT}${process.pid}`;
  mkdirSync(draft, { recursive: true });
  try {
    await build(root, bun, draft);
    for (const name of readdirSync(draft)) toDisk(join(draft, name));
    if (fingerprint(root) !== key) return false;
    // Another start may have been quicker; its bundle is the same.
    if (!existsSync(folder)) renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(join(folder, "main.js"))) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  clearHome(home, key);
  return true;
}

/** A bundle is trusted for its name: what a power loss leaves under it must be whole. */
function toDisk(path) {
  const file = openSync(path, "r+");
  fsyncSync(file);
  closeSync(file);
}

function build(root, bun, folder) {
  const patience = setTimeout(
    () => console.error("Bundling the server (once after each change; it takes some seconds) ..."),
    PATIENCE_MS,
  );
  return new Promise((resolve, reject) => {
    // Standard output belongs to the command that is to run.
    const child = spawn(bun, ["tools/bundle.ts", folder], { cwd: root, stdio: ["ignore", 2, 2] });
    child.on("error", reject);
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error("Bun could not bundle them (see above)"))));
  }).finally(() => clearTimeout(patience));
}

/** Deletes the bundles of before, but for those whose users live, and what interrupted starts have left. */
function clearHome(home, key) {
  for (const name of readdirSync(home)) {
    const [old, drafter] = name.split(DRAFT);
    const folder = join(home, name);
    try {
      if (name === key || [Number(drafter), ...usersOf(folder)].some(isAlive)) continue;
      // Out of the way first: half a bundle must never be found.
      const doomed = join(home, `${old}${DRAFT}${process.pid}`);
      renameSync(folder, doomed);
      rmSync(doomed, { recursive: true, force: true });
    } catch {
      // It is being deleted by another start, or is nothing of ours: it harms nobody.
    }
  }
}

function usersOf(folder) {
  return readdirSync(folder)
    .filter((name) => name.startsWith(USER))
    .map((name) => Number(name.slice(USER.length)));
}

/** Is there such a process? One of somebody else's counts, too. */
function isAlive(pid) {
  if (!(pid > 0)) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}
