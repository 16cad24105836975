import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { backupProblems } from "./backups.ts";
import { chainProblems } from "./chains.ts";
import type { Config } from "./config.ts";
import type { DatabaseConfig } from "./database.ts";
import { type FilesPlace, fileStorageProblems } from "./file-storage.ts";
import { mailProblems } from "./mail.ts";
import { oidcProblems } from "./oidc.ts";
import type { Profile, Variable } from "./parse.ts";
import { paymentProblems } from "./payments.ts";
import { payoutProblems } from "./payouts.ts";
import { unsafeInProduction } from "./production.ts";
import { redisProblems } from "./redis.ts";
import { solanaProblems } from "./solana.ts";
import { isOfValue, isValueOff } from "./value.ts";
import { OTHER_NAMES, VARIABLES, type Values } from "./variables.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment is invalid; the message lists every problem. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`The settings are invalid:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** Reads and checks all settings. Throws one `ConfigError` with every problem (protocol §10). */
export function loadConfig(env: Environment): Config {
  const { config, problems } = readConfig(env);
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** Reads all settings and lists every problem. A setting with a problem has its default in `config`. */
export function readConfig(env: Environment): { config: Config; problems: readonly string[] } {
  const problems: string[] = [];
  const values = readValues(env, problems);
  problems.push(...unknownNames(env));

  const dataDir = resolve(values.dataDir);
  const config: Config = {
    ...values,
    dataDir,
    database: placed(values.database ?? { kind: "sqlite", path: join(dataDir, "parley.sqlite") }),
    backupDir: values.backupDir === null ? null : resolve(values.backupDir),
    files: placedFiles(values.files ?? { kind: "folder", path: join(dataDir, "files") }),
    secureCookies: values.publicUrl?.startsWith("https:") ?? false,
    proxiesDeclared: setText(env, "PARLEY_TRUSTED_PROXIES") !== undefined,
    rateFactor: values.profile === "development" ? 100 : 1,
  };
  // A setting that is already reported as malformed is not reported twice.
  const told = new Set(problems.map((problem) => problem.split(" ")[0]));
  const further = [
    ...redisProblems(config.redisUrls, config.database.kind),
    ...fileStorageProblems(config),
    ...backupProblems(config),
    ...oidcProblems(config),
    ...mailProblems(config),
    ...chainProblems(config),
    ...solanaProblems(config),
    ...paymentProblems(config),
    // The currencies are known only if the chains' own settings are valid.
    ...([...told].some((name) => /^PARLEY_(EVM|SOLANA)_/.test(name ?? "")) ? [] : payoutProblems(config)),
    ...(config.profile === "production" ? unsafeInProduction(config) : []),
  ];
  problems.push(...further.filter((problem) => !told.has(problem.split(" ")[0])));
  return { config: Object.freeze(config), problems };
}

/**
 * Returns every variable's value. An invalid one adds a problem and gets its default, so that the others are still
 * checked.
 */
function readValues(env: Environment, problems: string[]): Values {
  const profile: Profile = env.PARLEY_PROFILE?.trim() === "production" ? "production" : "development";
  const values: Record<string, unknown> = {};
  // A server without value does not even read the keys of its treasuries.
  const isIgnored = isValueOff(env) ? isOfValue : () => false;
  for (const [field, { name, parse, byDefault, secret }] of Object.entries<Variable<unknown>>(VARIABLES)) {
    const standard = byDefault !== null && typeof byDefault === "object" ? byDefault[profile] : byDefault;
    const fallback = standard === null ? null : parse(standard);
    try {
      const raw = isIgnored(field) ? undefined : secret === true ? secretText(env, name) : setText(env, name);
      values[field] = raw === undefined ? fallback : parse(raw);
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`);
      values[field] = fallback;
    }
  }
  return values as unknown as Values;
}

/** Returns the text of a variable. An empty one counts as not set, as in files with a blank value. */
function setText(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  return text === "" ? undefined : text;
}

function secretText(env: Environment, name: string): string | undefined {
  const path = setText(env, `${name}_FILE`);
  if (path === undefined) return setText(env, name);
  if (setText(env, name) !== undefined) throw new Error(`and ${name}_FILE are both set; remove one`);
  let text: string;
  try {
    text = readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new Error(`cannot be read from ${name}_FILE (${(error as NodeJS.ErrnoException).code ?? "unreadable"})`);
  }
  if (text === "") throw new Error(`is empty: the file in ${name}_FILE has no text`);
  return text;
}

function placed(database: DatabaseConfig): DatabaseConfig {
  if (database.kind === "postgres" || database.path === ":memory:") return database;
  return { kind: "sqlite", path: resolve(database.path) };
}

const placedFiles = (files: FilesPlace): FilesPlace =>
  files.kind === "folder" ? { kind: "folder", path: resolve(files.path) } : files;

const ALL = Object.values<Variable<unknown>>(VARIABLES);
const KNOWN = ALL.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name]));

function unknownNames(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith("PARLEY_") && !KNOWN.includes(name) && !OTHER_NAMES.test(name))
    .map((name) => `${name} is not a known setting; ${advice(name)}`);
}

/** Suggests the known name with the smallest edit distance, if it is similar enough. */
function advice(name: string): string {
  const bare = (text: string): string => text.replace(/^PARLEY_/, "");
  let nearest = "";
  let distance = Math.max(2, bare(name).length / 2) + 1;
  for (const known of KNOWN) {
    const changes = editDistance(bare(name), bare(known));
    if (changes < distance) [nearest, distance] = [known, changes];
  }
  return nearest === "" ? "docs/reference/configuration.md lists all settings" : `did you mean ${nearest}?`;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
