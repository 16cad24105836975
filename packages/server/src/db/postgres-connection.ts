import { readFileSync } from "node:fs";
import type { ClientConfig } from "pg";
import type { PostgresAddress } from "../config-database.ts";
import { StartupError } from "./startup-error.ts";

/**
 * The driver's settings for a connection whose names mean Parley's own tables and PostgreSQL's functions, and nothing else: `search_path` is that
 * schema alone (`pg_catalog` always comes first), whatever the role or the database says. null: the path of the role, to look for what is there.
 */
export function connectionTo(address: PostgresAddress, schema: string | null): ClientConfig {
  const path = schema === null ? [] : [`-c search_path=${optionOf(schema)},pg_temp`];
  return {
    host: address.host,
    port: address.port,
    ...(address.user === undefined ? {} : { user: address.user }),
    ...(address.password === undefined ? {} : { password: address.password }),
    ...(address.database === undefined ? {} : { database: address.database }),
    ...tlsOf(address),
    application_name: address.applicationName,
    options: [address.options, ...path].join(" ").trim(),
    keepAlive: true,
  };
}

/** A schema's name as an identifier, in the form of an option: `\` and spaces are written behind a `\`. */
const optionOf = (schema: string): string => `"${schema.replaceAll('"', '""')}"`.replace(/[\\\s]/g, "\\$&");

/**
 * Verifies the certificate's chain and host name whenever TLS is asked for, unless the mode is `no-verify`; a server without TLS is then refused.
 * Said explicitly, because the driver's next version verifies less, and an environment variable can change its default.
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
    throw new StartupError(`The file ${path}, which DATABASE_URL names, cannot be read: ${String(error)}`, error);
  }
}
