// Runs Parley's commands on a machine that has only Node and npm: installs what is missing, then hands over to Bun.
// Plain Node without dependencies, because nothing may be installed yet.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { openBundle } from "./server-bundle.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const main = "packages/server/src/main.ts";
const marker = join(modules, ".parley-installed.json");
/** What npm writes of what it has installed. */
const noted = join(modules, ".package-lock.json");
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** What each command runs, and whether it needs the tools of development. */
const COMMANDS = {
  serve: { development: false, run: (rest) => program(["serve", ...rest]) },
  parley: { development: false, run: program },
  // A worker a core; within one, files share what is dear to start (PGlite).
  test: {
    development: true,
    run: (rest) => bun(["test", "--parallel", "--no-isolate", "--timeout", "60000", ...rest]),
  },
  dev: { development: true, run: (rest) => bun(["tools/dev.ts", ...rest]) },
  check: { development: true, run: check },
  bench: { development: true, run: (rest) => bun(["bench/main.ts", ...rest]) },
  build: { development: true, run: build },
  format: { development: true, run: format },
  "demo:red-packet": { development: true, run: (rest) => bun(["examples/red-packet/main.ts", ...rest]) },
};

/** Bun's executable. */
let bunFile = "";

const [name = "", ...rest] = process.argv.slice(2);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (command === undefined) {
  fail(`usage: node tools/run.mjs ${Object.keys(COMMANDS).join("|")} [arguments]`, 2);
} else {
  bunFile = install(command.development);
  process.exit(await command.run(rest));
}

/** Runs the server or one of its commands: from its bundle, or where none can be kept from the sources. */
async function program(args) {
  const bundle = await openBundle(root, bunFile).catch((error) => {
    console.error(`Starting from the sources, which takes longer, as they could not be bundled: ${error.message}.`);
  });
  if (bundle === undefined) return bun([main, ...args]);
  try {
    return await bun([bundle.main, ...args], bundle.usedBy);
  } finally {
    bundle.close();
  }
}

/** All checks, also after one has failed, so that one run tells everything. */
async function check() {
  const codes = [
    await bun(["run", "biome", "check", "."]),
    await bun(["run", "tsc", "-p", "tsconfig.json"]),
    // Browsers know other things than the server does.
    await bun(["run", "tsc", "-p", "packages/web/tsconfig.json"]),
    await bun(["tools/reference.ts", "--check"]),
  ];
  return codes.find((code) => code !== 0) ?? 0;
}

/** Formats the code and writes the reference pages anew. */
async function format() {
  const code = await bun(["run", "biome", "check", "--write", "."]);
  return (await bun(["tools/reference.ts"])) || code;
}

/** The whole product as one executable. Identifiers stay as they are: stacks and schema names are read by people. */
async function build() {
  mkdirSync(join(root, "dist"), { recursive: true });
  const target = process.platform === "win32" ? "dist/parley.exe" : "dist/parley";
  return bun(["tools/bundle.ts", "--executable", target]);
}

/** Runs Bun in the foreground and gives its exit code. Signals reach it also when only this process was told. */
function bun(args, onStart = (_pid) => {}) {
  return new Promise((resolve) => {
    const child = spawn(bunFile, args, { cwd: root, stdio: "inherit" });
    if (child.pid !== undefined) onStart(child.pid);
    const forward = (signal) => {
      // Ctrl-C on a terminal reaches the child without us.
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    };
    for (const signal of SIGNALS) process.on(signal, forward);
    const watch = watchNpm(() => child.kill("SIGTERM"));
    child.on("error", (error) => {
      fail(`Bun could not be started: ${error.message}`);
    });
    child.on("exit", (code, signal) => {
      for (const each of SIGNALS) process.off(each, forward);
      clearInterval(watch);
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

/** npm that was killed can pass no signal on; whoever started us then has another parent. */
function watchNpm(onGone) {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    onGone();
  }, 500);
  return timer;
}

/** Finds Bun's executable. Where npm runs no install scripts, the `bun` package holds only a note and the platform's package the program. */
function findBun() {
  const file = process.platform === "win32" ? "bun.exe" : "bun";
  const scope = join(modules, "@oven");
  const platforms = existsSync(scope) ? readdirSync(scope).sort() : [];
  const candidates = [
    join(modules, "bun", "bin", "bun.exe"),
    ...platforms.map((each) => join(scope, each, "bin", file)),
  ];
  const found = candidates.find((path) => isProgram(path));
  if (found === undefined) {
    fail(
      `Bun has no package for ${process.platform} ${process.arch}, or node_modules is damaged: delete it and try again.`,
    );
  }
  return found;
}

function isProgram(path) {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return size > 1_000_000 && spawnSync(path, ["--version"], { stdio: "ignore" }).status === 0;
}

/** Makes node_modules what the lock file says, if it is not, and gives Bun's executable. */
function install(development) {
  const lock = readFileSync(join(root, "package-lock.json"));
  const hash = createHash("sha256").update(lock).digest("hex");
  const platform = `${process.platform} ${process.arch}`;
  const seen = readMarker();
  const isDone = seen.lock === hash && seen.platform === platform && (seen.development || !development);
  if (isDone && existsSync(join(root, seen.bun))) return join(root, seen.bun);
  const isThere = () => isInstalled(JSON.parse(lock.toString()), development);
  if (!isThere()) {
    console.error(
      `Installing what Parley needs${development ? " for development" : ""} (once; this can take a minute) ...`,
    );
    const options = [development ? "--include=dev" : "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error"];
    // `ci` deletes everything first, which a server that runs may still need; so only what is missing is added, where that does it.
    if (existsSync(noted)) runNpm(["install", "--no-save", ...options]);
    if (!isThere() && runNpm(["ci", ...options]) !== 0) {
      fail("Installing failed; see above. Parley needs a connection to an npm registry the first time.");
    }
  }
  const found = findBun();
  writeMarker({ lock: hash, platform, development, bun: relative(root, found) });
  return found;
}

/** What the last start found, so that this one need not look again. */
function readMarker() {
  try {
    return JSON.parse(readFileSync(marker, "utf8")) ?? {};
  } catch {
    return {};
  }
}

function writeMarker(seen) {
  try {
    writeFileSync(marker, `${JSON.stringify(seen)}\n`);
  } catch {
    // Somebody else's folder: every start looks anew.
  }
}

/** Whether what the lock file asks for is installed, by whomever. */
function isInstalled(lock, development) {
  if (!existsSync(noted)) return false;
  const have = JSON.parse(readFileSync(noted, "utf8")).packages;
  return Object.entries(lock.packages)
    .filter(([path, wanted]) => path !== "" && !wanted.optional && (development || !wanted.dev))
    .every(([path, wanted]) => have[path]?.version === wanted.version && existsSync(join(root, path)));
}

/** Gives npm's exit code. */
function runNpm(args) {
  // Under npm, npm_execpath is the very npm that runs us.
  const cli = process.env.npm_execpath;
  const viaNode = cli !== undefined && /\.c?js$/.test(cli);
  const [file, argv] = viaNode ? [process.execPath, [cli, ...args]] : ["npm", args];
  // What npm says goes to standard error: standard output belongs to the command (--json).
  const { status, error } = spawnSync(file, argv, {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: !viaNode && process.platform === "win32",
  });
  if (error !== undefined) fail(`npm could not be started: ${error.message}`);
  return status;
}

function fail(text, code = 1) {
  console.error(text);
  process.exit(code);
}
