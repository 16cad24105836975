// A PostgreSQL of its own for a run of the tests, from the programs that Debian installs.
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const BINARIES = "/usr/lib/postgresql";
const START_MS = 60_000;
/** The tests' data is temporary: waiting for the disk would take a third of their time. */
const SETTINGS = {
  listen_addresses: "'127.0.0.1'",
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  max_connections: 300,
};

/** Returns the folder with the newest PostgreSQL's programs, or null. */
export function postgresPrograms() {
  const versions = existsSync(BINARIES) ? readdirSync(BINARIES).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = versions.map((version) => join(BINARIES, version, "bin"));
  return folders.find((folder) => existsSync(join(folder, "initdb"))) ?? null;
}

/** Starts a server with an empty database of an ordinary role. Returns its URL, and `stop`, which deletes it. */
export async function startPostgres() {
  const programs = postgresPrograms();
  const folder = mkdtempSync(join(tmpdir(), "parley-postgres-"));
  const data = join(folder, "data");
  mkdirSync(data);
  // PostgreSQL refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const path of [folder, data]) giveToPostgres(path);
  const owner = isRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : [];
  const command = (name, ...args) => [...owner, join(programs, name), ...args];
  run(command("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"));
  const port = await freePort();
  const lines = Object.entries({ ...SETTINGS, port, unix_socket_directories: `'${folder}'` });
  appendFileSync(join(data, "postgresql.conf"), lines.map(([name, value]) => `${name} = ${value}\n`).join(""));
  const [file, ...args] = command("postgres", "-D", data);
  const server = spawn(file, args, { stdio: ["ignore", "ignore", "ignore"] });
  const exited = new Promise((resolve) => server.on("exit", resolve));
  const stop = async () => {
    // SIGQUIT ends all sessions at once.
    server.kill("SIGQUIT");
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  process.on("exit", () => server.kill("SIGQUIT"));
  const psql = (statement) => command("psql", "-h", folder, "-p", port, "-U", "postgres", "-qc", statement);
  await accepts(() => run(psql("create role parley_test login")), server);
  run(psql("create database parley_test owner parley_test"));
  return { url: `postgres://parley_test@127.0.0.1:${port}/parley_test`, stop };
}

/** Repeats `act` until it succeeds. */
async function accepts(act, server) {
  for (const end = Date.now() + START_MS; ; await sleep(100)) {
    try {
      return act();
    } catch (error) {
      if (Date.now() > end || server.exitCode !== null) throw error;
    }
  }
}

function giveToPostgres(path) {
  const [uid, gid] = ["-u", "-g"].map((option) => Number(run(["id", option, "postgres"])));
  chownSync(path, uid, gid);
  chmodSync(path, 0o700);
}

function run([file, ...args]) {
  const { status, stdout, stderr } = spawnSync(file, args.map(String), { cwd: "/", encoding: "utf8" });
  if (status !== 0) throw new Error(`${file} ${args.join(" ")}: ${stderr}`);
  return stdout;
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
