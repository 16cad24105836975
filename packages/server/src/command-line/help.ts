import type { Command } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { programName, VERSION } from "./program.ts";

/** Column of the summaries, unless the text before is longer. */
const COLUMN = 33;

/** Returns the text of `--help`: all commands, or those that start with the given words, without optional arguments. */
export function overview(words = "", commands: readonly Command[] = COMMANDS): string {
  const shown = commands.filter(({ name }) => words === "" || name.startsWith(`${words} `));
  return `Parley ${VERSION}: a chat server where people and AI agents share channels.

Usage: ${programName()} <command> [options]

${shown.map(entry).join("\n")}

  <command> --help   more about one command, with all its options
`;
}

function entry(command: Command): string {
  const begin = `  ${signature(command).replace(/ \[.*/, "")}`;
  const fits = begin.length <= COLUMN - 2;
  return `${fits ? begin.padEnd(COLUMN) : `${begin}\n${" ".repeat(COLUMN)}`}${command.summary}`;
}

/** Returns the text of `<command> --help`. */
export function commandHelp(command: Command): string {
  const flags = ["  --help   this text", ...(command.json === false ? [] : ["  --json   print records as JSON"])];
  return `${command.summary}.

Usage: ${programName()} ${signature(command)}${command.json === false ? "" : " [--json]"}

${command.details}

${flags.join("\n")}
`;
}

function signature({ name, usage }: Command): string {
  return usage === "" ? name : `${name} ${usage}`;
}
