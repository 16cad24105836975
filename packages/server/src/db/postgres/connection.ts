import { readFileSync } from "node:fs";
import type { ClientConfig } from "pg";
import type { PostgresAddress } from "../../config/database.ts";
import { StartupError } from "../startup-error.ts";
import { splitOptions } from "./options.ts";

const KEEP_ALIVE_MS = 10_000;

/** Returns the driver's settings for a connection. The settings of its session follow after the login (`session.ts`). */
export function connectionTo(address: PostgresAddress): ClientConfig {
  const { rest } = splitOptions(address.options);
  return {
    host: address.host,
    port: address.port,
    ...(address.user === undefined ? {} : { user: address.user }),
    ...(address.password === undefined ? {} : { password: address.password }),
    ...(address.database === undefined ? {} : { database: address.database }),
    ...tlsOf(address),
    application_name: address.applicationName,
    ...(rest === "" ? {} : { options: rest }),
    keepAlive: true,
    // The session that holds the lock has nothing to send: it would notice the loss of the machine after two hours.
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
}

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
