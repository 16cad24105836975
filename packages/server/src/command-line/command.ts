import { resolve } from "node:path";
import type { ParseArgsOptionsConfig } from "node:util";
import type { Environment } from "../config.ts";

/** The world outside, as main.ts hands it in and a test may replace it. */
export interface Surroundings {
  env: Environment;
  /** Where the person stands. Files that arguments name are looked for here; those in settings, where the server runs. */
  folder: string;
  stdin: NodeJS.ReadStream;
  out(text: string): void;
  err(text: string): void;
  outIsTerminal: boolean;
}

/** A command with its arguments taken apart. */
export interface Invocation extends Surroundings {
  values: Readonly<Record<string, string | boolean | undefined>>;
  positionals: readonly string[];
}

export interface Command {
  /** Words after `parley`, such as `key issue`. */
  name: string;
  /** What follows the name: `--agent <name> [--owner <username>]`. */
  usage: string;
  summary: string;
  /** More than the summary, for `--help`. */
  details: string;
  options?: ParseArgsOptionsConfig;
  /** Names of the positional arguments; all are required. */
  positionals?: readonly string[];
  /** Prints records, so it takes `--json`. */
  json?: boolean;
  /** Loaded when the command runs, so that `--help` does not load the server. Gives the exit code. */
  load(): Promise<(call: Invocation) => Promise<number>>;
}

/** The command was called wrongly; the message says how. */
export class UsageError extends Error {}

/** The command cannot do it as things are. The message is for the person at the terminal. */
export class CommandError extends Error {}

/** The file that an argument names, as its whole path. */
export const fileAt = (call: Invocation, path: string): string => resolve(call.folder, path);

/** A record on standard output: as JSON with `--json`, else in words. */
export function print(call: Invocation, record: object, words: string): void {
  call.out(call.values.json === true ? `${JSON.stringify(record)}\n` : `${words}\n`);
}
