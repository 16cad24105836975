import { constants, setPriority } from "node:os";
import { systemClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { endOnFatal, openDatabase } from "../db/database.ts";
import { refuseForeignHost, refuseTakenPort } from "../http/connections/listen-errors.ts";
import { createLog, type Log } from "../logging/log.ts";
import { type CommandRun, prepareBackupFolder, ScheduledBackups } from "../operations/backups/scheduled-backups.ts";
import { ReplicaChecks } from "../restoring/replica-checks.ts";
import type { RunningServer } from "../server.ts";
import type { Invocation } from "./command.ts";
import { isExecutable, programName, VERSION } from "./program.ts";

/** One Ctrl-C under npm reaches this process up to three times: from the terminal, from npm and from tools/run.mjs. */
const SAME_SIGNAL_MS = 200;
/**
 * How long the draining server asks clients to close their keep-alive connections. Without this period, a request
 * written at the moment the server closes idle connections is cut off: this happened to all clients that send without a
 * pause (measured).
 */
const FAREWELL_MS = 100;
/** The same for a node of a cluster: by then a balancer that asks `/readyz` each second sends its traffic elsewhere. */
const NODE_FAREWELL_MS = 2_000;
/** The 10 s that protocol §10 allows, less the time the process itself takes to end. */
const DRAIN_LIMIT_MS = 9_500;

/** Runs the server until a signal, then drains it. The exit code is 0 (protocol §10). */
export async function serve(call: Invocation): Promise<number> {
  const config = loadConfig(call.env);
  const readable = config.profile === "development";
  const log = createLog({ level: config.logLevel, readable, colours: readable && call.outIsTerminal });
  reportBugs(log);
  // Until the server has started, a signal ends the process as usual: no work is in progress yet.
  const server = await start(config, log);
  const told = firstSignal();
  if (readable) call.out(await welcome(config, server));
  else log.info({ version: VERSION, listening: server.url, ...addresses(config, server) }, "ready");

  const reason = await Promise.race([told, server.outdated.then(() => "outdated" as const)]);
  log.info({ signal: reason }, "stopping: finishing open requests");
  return drain(server, log);
}

/** Reports what prevents the start before it loads the rest of the program, which takes most of the start time. */
async function start(config: Config, log: Log): Promise<RunningServer> {
  await refuseForeignHost(config.host);
  if (config.backupDir !== null) prepareBackupFolder(config.backupDir);
  const database = await openDatabase(config.database, systemClock, {
    onFatal: endOnFatal(log),
    log,
    isShared: config.redisUrls.length > 0,
    isReplicated: config.replica !== null,
    poolSize: config.postgresPool,
  });
  try {
    await refuseTakenPort(config.host, config.port);
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
  const { startServer } = await import("../server.ts");
  const farewellMs = config.redisUrls.length > 0 ? NODE_FAREWELL_MS : FAREWELL_MS;
  const server = await startServer(config, { log, database, farewellMs });
  if (config.backupDir !== null && config.database.kind === "sqlite")
    new ScheduledBackups(server.ctx, { folder: config.backupDir, source: config.database.path, run: runAside }).start();
  if (config.replica !== null) new ReplicaChecks(server.ctx, runAside).start();
  return server;
}

/** Runs a command of this program in its own process, which leaves the processor to the server. */
function runAside(args: readonly string[]): CommandRun {
  const program = isExecutable() ? [process.execPath] : [process.execPath, Bun.main];
  const child = Bun.spawn([...program, ...args], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  try {
    setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Our systemd unit forbids it (SystemCallFilter). The command then has the server's priority.
  }
  const ended = async () => {
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    return { code: await child.exited, output: out + err };
  };
  return { ended: ended(), kill: () => child.kill("SIGKILL") };
}

/** Resolves with the first stop signal. A second one, a moment later, ends the process at once. */
function firstSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let toldAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    const now = systemClock.monotonic();
    toldAt ??= now;
    if (now - toldAt > SAME_SIGNAL_MS) process.exit(1);
    resolve(signal);
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, onSignal);
  return promise;
}

async function drain(server: RunningServer, log: Log): Promise<number> {
  const timer = setTimeout(() => {
    log.error("open requests did not finish in time");
    process.exit(1);
  }, DRAIN_LIMIT_MS);
  try {
    await server[Symbol.asyncDispose]();
    log.info("stopped");
    process.exit(0);
  } catch (error) {
    log.error({ err: error }, "stopping the server failed");
    return 1;
  } finally {
    clearTimeout(timer);
  }
}

/** Logs an unhandled rejection and continues. Exits after an uncaught exception, because the state is unknown. */
function reportBugs(log: Log): void {
  process.on("unhandledRejection", (error) => log.error({ err: error }, "unhandled promise rejection"));
  process.on("uncaughtException", (error) => {
    log.fatal({ err: error }, "uncaught exception");
    process.exit(1);
  });
}

function addresses(config: Config, { url }: RunningServer): { web: string; api: string; docs: string } {
  const base = config.publicUrl ?? url;
  return { web: `${base}/`, api: `${base}/api`, docs: `${base}/docs` };
}

async function welcome(config: Config, server: RunningServer): Promise<string> {
  const { web, api, docs } = addresses(config, server);
  const { database } = config;
  const { hasOwner } = await import("../accounts/operators-accounts.ts");
  const owner = (await hasOwner(server.ctx))
    ? ""
    : `\n  ${programName()} owner create <name>         create the first owner`;
  const place = database.kind === "sqlite" ? `SQLite file ${database.path}` : "PostgreSQL";
  return `
Parley ${VERSION} is ready. ${place}; Development profile: do not expose it to the internet.

  Web page   ${web}
  API        ${api}    described in ${api}/openapi.json
  API docs   ${docs}
  Agents     ${web}skill.md    all that an agent must read to take part

Next, in another terminal:${owner}
  ${programName()} key issue --agent <name>    create an API key for an agent
Agent owners can get keys themselves with a social post: ${web}claim

Ctrl-C stops the server.

`;
}
