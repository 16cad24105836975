import { parseArgs } from "node:util";
import { ConfigError } from "../config/load-config.ts";
import { StartupError } from "../db/startup-error.ts";
import { AppError } from "../errors.ts";
import {
  argumentsOf,
  type Command,
  CommandError,
  type Invocation,
  type Surroundings,
  UsageError,
  withWords,
} from "./command.ts";
import { COMMANDS, commandsFor } from "./commands.ts";
import { commandHelp, overview } from "./help.ts";
import { programName, VERSION } from "./program.ts";

/** Runs one command and returns the exit code: 0 success, 1 failure, 2 invalid command line. */
export async function runCommandLine(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    return await dispatch(argv, surroundings);
  } catch (error) {
    surroundings.err(`${await readable(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function dispatch(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const words = argv.filter((word) => !word.startsWith("-"));
  const wantsHelp = argv.includes("--help") || argv.includes("-h") || argv[0] === "help";
  const commands = commandsFor(surroundings);
  const command = findCommand(commands, words[0] === "help" ? words.slice(1) : words);
  if (argv[0] === "--version") {
    surroundings.out(`${VERSION}\n`);
    return 0;
  }
  if (command === undefined) return noCommand(commands, words, wantsHelp, surroundings);
  if (wantsHelp) {
    surroundings.out(commandHelp(command));
    return 0;
  }
  const call = parse(command, withoutName(argv, command), surroundings);
  const run = await command.load();
  return run(call);
}

/** Returns the command that arguments name; undefined if they name none. */
export const commandOf = (argv: readonly string[]): Command | undefined =>
  findCommand(
    COMMANDS,
    argv.filter((word) => !word.startsWith("-")),
  );

function findCommand(commands: readonly Command[], words: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name.split(" ").every((word, index) => words[index] === word));
}

/** Returns the arguments without the command's own words; options may precede them. */
function withoutName(argv: readonly string[], { name }: Command): string[] {
  const own = name.split(" ");
  return argv.filter((word) => word !== own[0] || own.shift() === undefined);
}

function noCommand(
  commands: readonly Command[],
  words: readonly string[],
  wantsHelp: boolean,
  { out }: Surroundings,
): number {
  const [group = "", ...rest] = words[0] === "help" ? words.slice(1) : words;
  const isGroup = commands.some(({ name }) => name.startsWith(`${group} `));
  if (group !== "" && (!isGroup || (rest.length > 0 && !wantsHelp))) {
    const isOff = !isGroup && COMMANDS.some(({ name }) => name.startsWith(`${group} `));
    throw new UsageError(
      `There is no command "${words.join(" ")}"${isOff ? " while PARLEY_VALUE is off" : ""}. See: ${programName()} ${isGroup ? `${group} ` : ""}--help`,
    );
  }
  out(overview(group, commands));
  return wantsHelp ? 0 : 2;
}

function parse(command: Command, args: readonly string[], surroundings: Surroundings): Invocation {
  const { options, positionals: names } = argumentsOf(command);
  try {
    const { values, positionals } = parseArgs({
      args: withWords(command, args),
      options,
      allowPositionals: true,
      strict: true,
    });
    const missing = names[positionals.length];
    if (missing !== undefined && !command.usage.includes(`[<${missing}>]`))
      throw new UsageError(`<${missing}> is missing.`);
    if (positionals.length > names.length)
      throw new UsageError(`"${positionals[names.length]}" is an unexpected argument.`);
    return { ...surroundings, values: values as Invocation["values"], positionals };
  } catch (error) {
    // parseArgs ends some sentences with advice about `--`, which does not help here.
    const reason = (error as Error).message.split(". ")[0]?.replace(/\.?$/, ".");
    throw new UsageError(`${reason}\n\n${commandHelp(command)}`);
  }
}

/** Returns a readable message for an error; the stack only if it is a bug of ours. */
async function readable(error: unknown): Promise<string> {
  const foreseen = [UsageError, CommandError, ConfigError, StartupError];
  if (error instanceof AppError) return [error.message, ...reasons(error.details)].join("\n");
  if (foreseen.some((kind) => error instanceof kind)) return (error as Error).message;
  return (
    (await storageRefusal(error)) ??
    `Parley had an unexpected error. Please report it with this text:\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
  );
}

/** Formats the details of an error as lines: which field, and what is wrong with it. */
function reasons(details: unknown): string[] {
  if (!Array.isArray(details)) return [];
  return details.flatMap((each: { path?: unknown; message?: unknown }) =>
    typeof each.path === "string" && typeof each.message === "string" ? [`  ${each.path} ${each.message}`] : [],
  );
}

/**
 * Returns a message if the disk or the database is the cause. Loads the database code here, so that commands without a
 * database start without it.
 */
async function storageRefusal(error: unknown): Promise<string | undefined> {
  const { isStorageFull, isUnavailable } = await import("../db/database.ts");
  if (isStorageFull(error)) return "The disk is full. Free some space, then try again.";
  if (!isUnavailable(error)) return undefined;
  return `The database does not respond or takes no writes: ${(error as Error).message}. Check it with: ${programName()} doctor`;
}
