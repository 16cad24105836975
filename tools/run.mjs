// Runs the npm scripts on a machine that has only Node and npm: installs what is missing, then starts Bun.
// This file uses Node alone, because it runs before anything is installed.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { serverBundle } from "./server-bundle.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
/** The list that npm keeps of the packages it has installed. */
const noted = join(modules, ".package-lock.json");

const COMMANDS = {
  serve: (args) => parley(["serve", ...args]),
  parley,
  // In a workspace, npm starts this script in the folder of the workspace: then only the tests in that folder run.
  test: (args) => tests((run) => run.some(args, process.cwd())),
  "test:all": (args) => tests((run) => run.all(args)),
  "test:rest": (args) => tests((run) => run.all(args, { isPlainDone: true })),
  dev: (args) => bun(["tools/dev.ts", ...args]),
  check,
  bench: (args) => bun(["bench/main.ts", ...args]),
  build: () => bun(["tools/bundle.ts", "--executable", `dist/parley${process.platform === "win32" ? ".exe" : ""}`]),
  format,
  prepack: () => bun(["tools/prepack.ts", process.cwd()]),
  faults: (args) => bun(["tools/faults.ts", ...args]),
  "check-history": (args) => bun(["tools/check-history/main.ts", ...args]),
  "demo:red-packet": (args) => bun(["examples/red-packet/main.ts", ...args]),
  "demo:cluster": (args) => bun(["examples/cluster/main.ts", ...args]),
};
/** The commands that need no development dependencies. */
const RUNTIME_COMMANDS = ["serve", "parley"];

/** Loaded here, because a server starts without the tools of the tests. */
async function tests(act) {
  const { TestRun } = await import("./testing/run.mjs");
  return act(new TestRun(root, (args, options) => start(bunFile, args, options)));
}

/** Runs the server or one of its commands from a bundle, or from the sources if no bundle can be made. */
function parley(args) {
  let main = "packages/server/src/main.ts";
  try {
    main = serverBundle(root, bunFile);
  } catch (error) {
    console.error(`Starting from the sources, which is slower, because bundling failed: ${error.message}.`);
  }
  return bun([main, ...args]);
}

/**
 * Runs all checks, even after one has failed, so that one run reports every problem. The types of the whole repository
 * take as long as all others, and one core.
 */
async function check() {
  const codes = await Promise.all([bun(["run", "tsc", "-p", "tsconfig.json"]), otherChecks()]);
  return codes.flat().find((code) => code !== 0) ?? 0;
}

/** Tests of what people forget when they add a table or a column; they take two seconds. */
const FORGOTTEN = [
  "packages/server/test/privacy/data-classes.test.ts",
  "packages/server/src/db/migrations/names.test.ts",
];

async function otherChecks() {
  return [
    await bun(["run", "biome", "check", "."]),
    // The web client has the types of browsers instead of Bun's.
    await bun(["run", "tsc", "-p", "packages/web/tsconfig.json"]),
    await bun(["run", "tsc", "-p", "packages/web/src/worker/tsconfig.json"]),
    await bun(["tools/reference.ts", "--check"]),
    await bun(["bench/performance-page.ts", "--check"]),
    await bun(["tools/check-packages.ts"]),
    await bun(["test", "--timeout", "60000", ...FORGOTTEN]),
  ];
}

/** Formats the code and writes the generated reference pages. */
async function format() {
  const code = await bun(["run", "biome", "check", "--write", "."]);
  return (await bun(["tools/reference.ts"])) || (await bun(["bench/performance-page.ts"])) || code;
}

const bun = (args, cwd = root) => run(bunFile, args, { cwd, stdio: "inherit" });

/** The running child processes. */
const children = new Set();

/** Starts a program that gets the signals of this one. */
function start(file, args, options) {
  const child = spawn(file, args, options);
  children.add(child);
  child.on("exit", () => children.delete(child));
  return child;
}

/** Runs a program and returns its exit code. Exits with it if a signal ended the program. */
function run(file, args, options) {
  return new Promise((resolve) => {
    const child = start(file, args, options);
    child.on("error", (error) => fail(`${file} could not be started: ${error.message}`));
    child.on("exit", (code, signal) => {
      if (signal !== null) process.exit(128 + constants.signals[signal]);
      resolve(code);
    });
  });
}

function forwardSignals() {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      if (children.size === 0) process.exit(128 + constants.signals[signal]);
      // The terminal sends Ctrl-C to the children too.
      if (signal !== "SIGINT" || !process.stdin.isTTY) for (const child of children) child.kill(signal);
    });
  }
  // If npm is killed, it forwards nothing, but this process gets another parent.
  if (process.env.npm_lifecycle_event === undefined) return;
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, 500);
}

/** Installs the dependencies unless all that the lock file asks for are present. */
async function install(development) {
  if (isInstalled(development)) return;
  const release = await lockInstallation();
  if (!isInstalled(development)) {
    console.error(`Installing dependencies${development ? " for development" : ""} (once; this can take a minute) ...`);
    // `npm ci` deletes node_modules first, which a running server may need: `npm install` only adds what is missing.
    if (existsSync(noted)) await npm("install", development);
    if (!isInstalled(development) && (await npm("ci", development)) !== 0) {
      fail("Installing failed; see above. The first start needs a connection to an npm registry.");
    }
  }
  release();
}

/**
 * Waits until no other process installs here, because concurrent runs of npm damage node_modules. The holder touches
 * the lock every second: an older one is left from a process that was killed.
 */
async function lockInstallation() {
  const lock = join(root, "dist/installing");
  mkdirSync(dirname(lock), { recursive: true });
  for (let tries = 0; !created(lock); tries++) {
    if (tries === 0) console.error("Waiting for another process that installs dependencies ...");
    const touched = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - touched > 10_000) rmSync(lock, { force: true });
    else await sleep(200);
  }
  const heartbeat = setInterval(() => utimesSync(lock, new Date(), new Date()), 1000);
  const release = () => {
    clearInterval(heartbeat);
    process.off("exit", release);
    rmSync(lock, { force: true });
  };
  process.on("exit", release);
  return release;
}

/** Creates a file. Returns false if it exists. */
function created(path) {
  try {
    writeFileSync(path, "", { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

const packagesIn = (path) => JSON.parse(readFileSync(path, "utf8")).packages;

/** Compares the list of installed packages with the lock file. Optional packages are those of other platforms. */
function isInstalled(development) {
  if (!existsSync(noted)) return false;
  const installed = packagesIn(noted);
  return Object.entries(packagesIn(join(root, "package-lock.json")))
    .filter(([path, wanted]) => path !== "" && !wanted.optional && (development || !wanted.dev))
    .every(([path, wanted]) => installed[path]?.version === wanted.version && existsSync(join(root, path)));
}

/**
 * Returns npm's exit code. Standard output belongs to the command (`--json`), so npm writes to standard error. npm deletes
 * the packages of a group that is omitted, so this includes the development packages if they are here.
 */
function npm(command, development) {
  const hasDevelopment = existsSync(noted) && Object.values(packagesIn(noted)).some(({ dev }) => dev);
  const groups = development || hasDevelopment ? "--include=dev" : "--omit=dev";
  const options = [groups, "--no-audit", "--no-fund", "--loglevel=error"];
  if (command === "install") options.push("--no-save");
  return run("npm", [command, ...options], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    // npm is a .cmd file there, which only a shell can run.
    shell: process.platform === "win32",
  });
}

/** Finds a Bun that runs here. Without its install script, the `bun` package is a stub and a platform's package has Bun. */
function findBun() {
  const scope = join(modules, "@oven");
  const platforms = existsSync(scope) ? readdirSync(scope).sort() : [];
  const file = process.platform === "win32" ? "bun.exe" : "bun";
  const candidates = [join(modules, "bun/bin/bun.exe"), ...platforms.map((name) => join(scope, name, "bin", file))];
  const found = candidates.find((path) => spawnSync(path, ["--version"], { stdio: "ignore" }).status === 0);
  const platform = `${process.platform} ${process.arch}`;
  return found ?? fail(`There is no Bun for ${platform}, or node_modules is damaged: delete it and try again.`);
}

function fail(text, code = 1) {
  console.error(text);
  process.exit(code);
}

const [name = "", ...args] = process.argv.slice(2);
if (!Object.hasOwn(COMMANDS, name)) {
  fail(`usage: node tools/run.mjs ${Object.keys(COMMANDS).join("|")} [arguments]`, 2);
}
forwardSignals();
await install(!RUNTIME_COMMANDS.includes(name));
const bunFile = findBun();
process.exit(await COMMANDS[name](args));
