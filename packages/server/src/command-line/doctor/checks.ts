import { accessSync, constants, existsSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { systemClock } from "../../clock.ts";
import type { Config } from "../../config/config.ts";
import { type DatabaseFacts, isReadable } from "../../db/inspect.ts";
import { MIGRATIONS } from "../../db/migrations/migrations.ts";
import { TOO_MANY_CONNECTIONS } from "../../db/postgres/postgres.ts";
import { canUse } from "../../db/schema-number.ts";
import { readSnapshot } from "../../db/snapshot.ts";
import { StartupError } from "../../db/startup-error.ts";
import { existingFolder, spaceAt } from "../../metrics/disk.ts";
import { type Finding, type Module, openWorkOf } from "../../module.ts";
import { isServerRunning } from "../running-server.ts";

const FREE_SHARE_MIN = 0.05;
const FREE_BYTES_MIN = 256 * 1024 * 1024;

export function checkProxy(config: Config): Finding[] {
  if (!config.secureCookies || config.proxiesDeclared) return [];
  const text =
    "PARLEY_PUBLIC_URL is https, so a proxy serves it, but PARLEY_TRUSTED_PROXIES is not set: all users share the proxy's address and therefore its rate limits. Set it to the proxy's address, or to none.";
  return [{ check: "proxy", state: "advice", text }];
}

/** Returns the folder in which this server keeps its files. */
const folderOf = ({ dataDir, database }: Config): string =>
  database.kind === "sqlite" ? dirname(database.path) : dataDir;

export function checkFolder({ database }: Config): Finding[] {
  if (database.kind === "postgres") return [];
  const folder = dirname(database.path);
  const finding = (state: Finding["state"], text: string): Finding[] => [{ check: "data folder", state, text }];
  if (!existsSync(folder)) {
    const parent = existingFolder(folder);
    return problemOfWriting(parent) === null
      ? finding("ok", `${folder} does not exist yet; the server creates it`)
      : finding(
          "problem",
          `${folder} does not exist and cannot be created in ${parent}; create it for the user that runs Parley`,
        );
  }
  const problem = problemOfWriting(folder);
  if (problem === "EROFS") return finding("problem", `${folder} is mounted read-only; mount it writable`);
  if (problem !== null)
    return finding("problem", `${folder} cannot be written; run: chown -R <user that runs Parley> ${folder}`);
  const open = process.platform !== "win32" && (statSync(folder).mode & 0o007) !== 0;
  return open
    ? finding("advice", `${folder} is open to every user of this machine; run: chmod o-rwx ${folder}`)
    : finding("ok", `${folder} is writable, and closed to others`);
}

export function checkDisk(config: Config): Finding {
  const { free, size } = spaceAt(folderOf(config));
  const share = size === 0 ? 1 : free / size;
  const text = `${Math.round(free / 1024 / 1024)} MiB free (${Math.round(share * 100)} %)`;
  return share < FREE_SHARE_MIN || free < FREE_BYTES_MIN
    ? {
        check: "disk",
        state: "problem",
        text: `only ${text}; free some space, because the server refuses messages when the disk is full`,
      }
    : { check: "disk", state: "ok", text };
}

/** Checks the database. `facts` is an Error if it could not be read, null if it does not exist yet. */
export function checkDatabase(
  config: Pick<Config, "database" | "postgresPool">,
  facts: DatabaseFacts | Error | null,
): Finding[] {
  const check = "database";
  // Its text says what to do.
  if (facts instanceof StartupError) return [{ check, state: "problem", text: facts.message }];
  if (facts instanceof Error) {
    return [
      { check, state: "problem", text: `cannot be read (${facts.message}); ${adviceFor(config.database, facts)}` },
    ];
  }
  if (facts === null) return [{ check, state: "ok", text: "does not exist yet; the server makes it" }];
  if (facts.damage !== "") {
    return [{ check, state: "problem", text: `is damaged (${facts.damage}); restore a backup` }];
  }
  const found: Finding = { check, state: "ok", text: `${facts.engine}, ${facts.bytes} bytes` };
  return [found, ...(facts.isPooled === true ? [poolerFinding(config)] : []), checkSchema(facts)];
}

function poolerFinding({ postgresPool }: Pick<Config, "postgresPool">): Finding {
  const text = `a connection pooler is before the database and keeps a session for each client, as Parley needs it; it must allow ${postgresPool + 1} sessions for each server, and 2 for commands`;
  return { check: "pooler", state: "ok", text };
}

function adviceFor(database: Config["database"], error: Error): string {
  const code = "code" in error ? error.code : undefined;
  if (database.kind === "postgres" && code === TOO_MANY_CONNECTIONS)
    return "raise max_connections of PostgreSQL, or lower PARLEY_POSTGRES_POOL of the servers";
  if (database.kind === "postgres")
    return "check that PostgreSQL runs and that DATABASE_URL names its host, user, password and database";
  // SQLite writes beside the file even when it only reads.
  if (code === "SQLITE_CANTOPEN")
    return `check that the user that runs Parley can write ${database.path} and its folder`;
  return "if it is Parley's database, restore a backup; otherwise move it away";
}

function checkSchema({ schema, floor, epoch }: DatabaseFacts): Finding {
  const known = MIGRATIONS.length;
  if (!canUse({ schema, floor }, known)) {
    const text = `${schema} was made by a newer Parley (this one knows ${known}, it must know ${floor}); start the newer version`;
    return { check: "schema", state: "problem", text };
  }
  if (schema === 0) return { check: "schema", state: "ok", text: "empty; the server fills it when it starts" };
  if (epoch === null || epoch === "") {
    return {
      check: "schema",
      state: "problem",
      text: "the epoch is missing, so clients cannot resume; restore a backup",
    };
  }
  const text =
    schema < known
      ? `${schema}; the server upgrades it to ${known} when it starts`
      : `${schema}${schema > known ? " of a newer version, which this one can use" : ""}, epoch ${epoch}`;
  return { check: "schema", state: "ok", text };
}

/** Checks that the port is free, or that this Parley's own server uses it. */
export async function checkPort({ host, port, database }: Config): Promise<Finding> {
  const check = "port";
  if (database.kind === "sqlite" && isServerRunning(database.path)) {
    return { check, state: "ok", text: "a Parley server is running on this database" };
  }
  if (port === 0) return { check, state: "ok", text: "any free port" };
  const refusal = await tryListen(host, port);
  if (refusal === null) return { check, state: "ok", text: `${port} on ${host} is free` };
  const state = database.kind === "postgres" && refusal === "EADDRINUSE" ? "advice" : "problem";
  const text = `${port} on ${host} cannot be used (${refusal}); stop the program that uses it, or choose another port with PORT`;
  return { check, state, text };
}

function tryListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

/** Returns the code of the error that keeps this user from creating files in the folder; null: there is none. */
function problemOfWriting(folder: string): string | null {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "unknown";
  }
}

/** Checks that nothing of value is unfinished where `PARLEY_VALUE` switches it off. Returns nothing where it is on. */
export async function checkValue(
  { value, database }: Config,
  facts: DatabaseFacts | Error | null,
  modules: readonly Module[],
): Promise<Finding[]> {
  const check = "value";
  if (value === "on") return [];
  const off = "off: the server has no chains, payments, red packets and payouts";
  if (!isReadable(facts)) return [{ check, state: "ok", text: off }];
  const found = await readSnapshot(database, systemClock, (db) => openWorkOf(modules, db, systemClock.now()));
  if (found.length === 0) return [{ check, state: "ok", text: `${off}, and nothing of them is unfinished` }];
  const text = `off, but ${found.join(", ")}, so the server does not start; set PARLEY_VALUE=on until all of it is finished`;
  return [{ check, state: "problem", text }];
}
