import { resolve } from "node:path";
import type { ParseArgsOptionsConfig } from "node:util";
import type { Environment } from "../config/load-config.ts";

/** The process environment, as main.ts passes it in. Tests can replace it. */
export interface Surroundings {
  env: Environment;
  /**
   * The caller's working directory. File arguments are relative to it; paths in settings are relative to the server's.
   */
  folder: string;
  stdin: NodeJS.ReadStream;
  out(text: string): void;
  err(text: string): void;
  outIsTerminal: boolean;
}

/** A command with its parsed arguments. */
export interface Invocation extends Surroundings {
  values: Readonly<Record<string, string | boolean | undefined>>;
  positionals: readonly string[];
}

export interface Command {
  /** Words after `parley`, such as `key issue`. */
  name: string;
  /**
   * The arguments after the name: `<slug> --amount <digits> [--open] [--sort [up|down]]`. They are parsed as it says
   * (`argumentsOf`): every `<name>` that follows no option is required unless it is in brackets, and a word in brackets may
   * be left out, which means the first one.
   */
  usage: string;
  summary: string;
  /** Additional text for `--help`. */
  details: string;
  /** It reads more than memory holds, so its process collects garbage early (small-heap.ts). */
  hasSmallHeap?: true;
  /** False: it prints no records, so it does not accept `--json`. */
  json?: false;
  /**
   * Loads the code when the command runs, so that `--help` does not load the server. The command returns the exit code.
   */
  load(): Promise<(call: Invocation) => Promise<number>>;
}

/** An option in a usage, with its value if it takes one: `--limit <count>`, `--chain evm|solana`, `--sort [up|down]`, `--open`. */
const OPTION = /--([\w-]+)(?: (<[^>]+>|[\w|]+|\[[\w|]+\]))?/g;

/** Returns the options and the names of the positional arguments that the usage of a command shows. */
export function argumentsOf({ usage, json }: Command): { options: ParseArgsOptionsConfig; positionals: string[] } {
  const options: ParseArgsOptionsConfig = json === false ? {} : { json: { type: "boolean" } };
  for (const [, name = "", value] of usage.matchAll(OPTION)) {
    options[name] = { type: value === undefined ? "boolean" : "string" };
  }
  const positionals = [...usage.replace(OPTION, "").matchAll(/<([^>]+)>/g)].map(([, name = ""]) => name);
  return { options, positionals };
}

/** Returns the arguments with the words that may be left out: `--sort` becomes `--sort=up`, and `--sort down` `--sort=down`. */
export function withWords({ usage }: Command, args: readonly string[]): string[] {
  const words = new Map<string, string[]>();
  for (const [, name = "", value = ""] of usage.matchAll(OPTION))
    if (value.startsWith("[")) words.set(`--${name}`, value.slice(1, -1).split("|"));
  const all: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const [arg = "", next = ""] = args.slice(at, at + 2);
    const known = words.get(arg);
    if (known?.includes(next) === true) at += 1;
    all.push(known === undefined ? arg : `${arg}=${known.includes(next) ? next : known[0]}`);
  }
  return all;
}

/** The command line is invalid; the message says why. */
export class UsageError extends Error {}

/** The command cannot succeed in the current state. The message is for the person at the terminal. */
export class CommandError extends Error {}

/** Returns the absolute path of a file argument. */
export const fileAt = (call: Invocation, path: string): string => resolve(call.folder, path);

/** Prints a record to standard output: as JSON with `--json`, else as text. */
export function print(call: Invocation, record: object, words: string): void {
  call.out(call.values.json === true ? `${JSON.stringify(record)}\n` : `${words}\n`);
}
