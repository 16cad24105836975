import { readFileSync } from "node:fs";
import type { ClientConfig } from "pg";
import type { PostgresAddress } from "../../config/database.ts";
import { StartupError } from "../startup-error.ts";

const KEEP_ALIVE_MS = 10_000;

/**
 * PostgreSQL compiles statements whose estimated cost is high, as that of every statement over tables that were never
 * analyzed. All of Parley's take milliseconds, and compiling one takes a second of a core.
 */
const NO_COMPILER = "-c jit=off";

/** A setting without meaning to PostgreSQL: a session that lacks it has lost the options of its connection. */
export const MARK = "parley.options";

/**
 * Returns the driver's settings for a connection whose names resolve only to Parley's tables and PostgreSQL's
 * functions: `search_path` is that schema alone (`pg_catalog` always comes first), whatever the role or database sets.
 * null keeps the role's path, for finding existing tables.
 */
export function connectionTo(address: PostgresAddress, schema: string | null): ClientConfig {
  const path = schema === null ? [`-c ${MARK}=kept`] : [`-c search_path=${optionOf(schema)},pg_temp`];
  return {
    host: address.host,
    port: address.port,
    ...(address.user === undefined ? {} : { user: address.user }),
    ...(address.password === undefined ? {} : { password: address.password }),
    ...(address.database === undefined ? {} : { database: address.database }),
    ...tlsOf(address),
    application_name: address.applicationName,
    options: [NO_COMPILER, address.options, ...path].join(" ").trim(),
    keepAlive: true,
    // The session that holds the lock has nothing to send: it would notice the loss of the machine after two hours.
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
}

/** Quotes a schema name as an identifier and escapes it for an option: `\` and spaces are preceded by `\`. */
const optionOf = (schema: string): string => `"${schema.replaceAll('"', '""')}"`.replace(/[\\\s]/g, "\\$&");

/**
 * Verifies the certificate's chain and host name whenever TLS is requested, unless the mode is `no-verify`; a server
 * without TLS is then refused. Explicit, because the driver's next version verifies less and an environment variable
 * can change its default.
 */
function tlsOf({ tlsMode, rootCertificate, certificate, key }: PostgresAddress): Pick<ClientConfig, "ssl"> {
  if (tlsMode === undefined) return {};
  if (tlsMode === "disable") return { ssl: false };
  return {
    ssl: {
      rejectUnauthorized: tlsMode !== "no-verify",
      ...(rootCertificate === undefined ? {} : { ca: pemOf(rootCertificate) }),
      ...(certificate === undefined ? {} : { cert: pemOf(certificate) }),
      ...(key === undefined ? {} : { key: pemOf(key) }),
    },
  };
}

function pemOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new StartupError(`The file ${path} in DATABASE_URL cannot be read: ${String(error)}`, error);
  }
}
