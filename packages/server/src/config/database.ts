import { isLoopback } from "./parse.ts";

export type DatabaseConfig = { kind: "sqlite"; path: string } | { kind: "postgres"; url: string };

/** Parses `sqlite:path/of/file` or `postgres://user:password@host/name`. */
export function database(raw: string): DatabaseConfig {
  if (raw.startsWith("sqlite:")) {
    const path = raw.slice("sqlite:".length).replace(/^\/\/(?=\/)/, "");
    if (path === "") throw new Error("must name a file after sqlite:");
    return { kind: "sqlite", path };
  }
  const url = URL.parse(raw);
  if (url !== null && (url.protocol === "postgres:" || url.protocol === "postgresql:")) {
    postgresAddress(raw);
    return { kind: "postgres", url: raw };
  }
  // The text is not repeated: it may contain a password.
  throw new Error("must be sqlite:<file> or postgres://<user>:<password>@<host>/<name>");
}

/** The modes of libpq. Parley verifies certificate and host name in all of them except the first and the last. */
const TLS_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"] as const;
export type TlsMode = (typeof TLS_MODES)[number];

const PARAMETERS = [
  "host",
  "port",
  "user",
  "password",
  "options",
  "application_name",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
];
const SEARCH_PATH = /(?:-c\s*|--)search_path=(\S*)/g;
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * The parts of a PostgreSQL URL. Connections use only these, so a check and the driver cannot parse the URL
 * differently.
 */
export interface PostgresAddress {
  /** A host name, an IP address, or the folder of a Unix socket. */
  host: string;
  port: number;
  /** undefined: the driver's default. */
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  applicationName: string;
  /** Settings of the session (`-c name=value`), without `search_path`. */
  options: string;
  /** The schema in `options`; null: none. */
  schema: string | null;
  /** undefined: not in the URL. */
  tlsMode: TlsMode | undefined;
  /** Path of a PEM file, as are the next two. */
  rootCertificate: string | undefined;
  certificate: string | undefined;
  key: string | undefined;
}

/**
 * Parses a URL as PostgreSQL's own tools do. Throws an Error whose message completes "DATABASE_URL …", without the
 * URL's password.
 */
export function postgresAddress(raw: string): PostgresAddress {
  const url = new URL(raw);
  const parameters = new Map(url.searchParams);
  const given = (name: string): string | undefined => parameters.get(name) || undefined;
  const unknown = [...parameters.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) {
    throw new Error(`has the parameter "${unknown}", which Parley does not know; it knows ${PARAMETERS.join(", ")}`);
  }
  const hostname = decoded(url.hostname.replace(/^\[(.+)\]$/, "$1"));
  const options = given("options") ?? "";
  return {
    host: given("host") ?? (hostname || "localhost"),
    port: portIn(given("port") ?? (url.port || "5432")),
    user: given("user") ?? (decoded(url.username) || undefined),
    password: given("password") ?? (decoded(url.password) || undefined),
    database: decoded(url.pathname.slice(1)) || undefined,
    applicationName: given("application_name") ?? "parley",
    options: options.replace(SEARCH_PATH, "").trim(),
    schema: schemaIn(options),
    tlsMode: tlsModeIn(given("sslmode")),
    rootCertificate: given("sslrootcert"),
    certificate: given("sslcert"),
    key: given("sslkey"),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The text is not repeated: it may be the password.
    throw new Error("has a % that does not start a code such as %40; write a literal % as %25");
  }
}

function portIn(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new Error("has a port that is not a number from 1 to 65535");
  return port;
}

function tlsModeIn(text: string | undefined): TlsMode | undefined {
  const mode = TLS_MODES.find((known) => known === text);
  if (text !== undefined && mode === undefined) throw new Error(`must have one of ${TLS_MODES.join(", ")} as sslmode`);
  return mode;
}

function schemaIn(options: string): string | null {
  const [, schema] = [...options.matchAll(SEARCH_PATH)].at(-1) ?? [];
  if (schema === undefined) return null;
  if (!SCHEMA.test(schema) || schema.startsWith("pg_")) {
    throw new Error("must name one schema in search_path, of lower-case letters, digits and _");
  }
  return schema;
}

/** True if the connection uses no network: a Unix socket or the loopback interface. */
export const isLocal = ({ host }: PostgresAddress): boolean =>
  host.startsWith("/") || host === "::1" || isLoopback(host);
