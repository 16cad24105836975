// The needs of test files beyond npm's packages. The last part of a file's name before `.test.ts` says it: `bus.nodes.test.ts`. A file without one needs
// nothing, and `npm test` runs it. A file has a need for what it uses, never because it is slow.
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { postgresPrograms } from "./postgres.mjs";

/**
 * Each need: `why` files with it are apart; `missing()` returns what this machine lacks, as the names of Debian's packages or
 * in words.
 */
export const NEEDS = {
  nodes: {
    why: "runs several nodes, or a release of the past beside this one, on PostgreSQL and Redis",
    missing: () => [...postgres(), ...redis(), ...program("git")],
  },
  postgres: { why: "tests what only a PostgreSQL server does", missing: () => [...postgres(), ...program("openssl")] },
  redis: { why: "tests what only a Redis server does", missing: () => redis() },
  browser: {
    why: "opens the pages in Chromium",
    missing: () => [...program("chromium"), ...program("chromium-headless-shell"), ...program("curl")],
  },
  kills: {
    why: "kills or stops servers at many moments, which takes a process for each",
    missing: () => [],
  },
  python: {
    why: "runs the Python programs and checks their types",
    missing: () => [
      ...module("httpx", "python3-httpx"),
      ...module("telegram", "python3-python-telegram-bot"),
      ...program("mypy"),
    ],
  },
  debian: {
    why: "runs programs of Debian, such as curl, strace and PgBouncer, or mounts a disk",
    missing: () => [
      ...[
        "curl",
        "openssl",
        "jq",
        "git",
        "strace",
        "pgbouncer",
        "lintian",
        "shellcheck",
        "prometheus-alertmanager",
        "caddy",
        "nginx",
      ].flatMap((name) => program(name)),
      ...postgres(),
      ...root("mount a disk"),
    ],
  },
  packages: {
    why: "packs, installs or builds what users download, with tools and runtimes from npm's registry",
    missing: () => [],
  },
  containers: {
    why: "boots Debian in containers, with networks of their own, and installs what users install",
    missing: () => [
      ...["curl", "debootstrap", "openssl", "pebble"].flatMap((name) => program(name)),
      ...(program("systemd-nspawn").length > 0 ? ["systemd-container"] : []),
      ...(program("ip").length > 0 ? ["iproute2"] : []),
      ...root("boot a container"),
    ],
  },
  machine: {
    why: "installs Parley on this machine, so it runs only where PARLEY_REQUIRE_SERVICES=1 says that tests own it",
    missing: () => (process.env.PARLEY_REQUIRE_SERVICES === "1" ? program("adduser") : ["a machine of its own"]),
  },
  time: { why: "tests a promise with a time, or limits of connections", missing: () => [] },
};

function program(...names) {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/sbin"];
  const isThere = (name) => folders.some((folder) => folder !== "" && isExecutable(join(folder, name)));
  return names.some(isThere) ? [] : [names[0]];
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const redis = () => program("redis-server", "valkey-server");

/** What this machine lacks to run tests on PostgreSQL. Without `PARLEY_TEST_DATABASE_URL` the run starts its own. */
export function postgres() {
  return process.env.PARLEY_TEST_DATABASE_URL || postgresPrograms() !== null ? [] : ["postgresql"];
}

/** A module of Python, and the package of Debian that has it. */
function module(name, debian) {
  const imports = (python) => spawnSync(python, ["-c", `import ${name}`], { stdio: "ignore" }).status === 0;
  return ["python3", "/usr/bin/python3"].some(imports) ? [] : [debian];
}

/** Files that only root may run, on Linux. */
function root(act) {
  return process.getuid?.() === 0 && existsSync("/proc/self") ? [] : [`root, to ${act}`];
}
