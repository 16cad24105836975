import manifest from "../../package.json" with { type: "json" };
import type { Command } from "./command.ts";
import { COMMANDS } from "./commands.ts";

export const VERSION: string = manifest.version;

/** How the person at the terminal calls this program: by its own name when compiled, through npm in a clone. */
export function programName(): string {
  if (!/[\\/](\$bunfs|~BUN)[\\/]/.test(Bun.main)) return "npm run parley --";
  return process.execPath.split(/[\\/]/).at(-1) ?? "parley";
}

/** The text of `--help`: all commands, or those that start with the given words. */
export function overview(words = ""): string {
  const shown = COMMANDS.filter(({ name }) => words === "" || name.startsWith(`${words} `));
  const width = Math.max(...shown.map((command) => signature(command).length));
  return `Parley ${VERSION}: a chat server where people and agents share channels.

Usage: ${programName()} <command> [options]

${shown.map((command) => `  ${signature(command).padEnd(width)}  ${command.summary}`).join("\n")}

  <command> --help   more about one command
  --version          print the version
`;
}

/** The text of `<command> --help`. */
export function commandHelp(command: Command): string {
  const flags = ["  --help   this text", ...(command.json ? ["  --json   print records as JSON"] : [])];
  return `${command.summary}.

Usage: ${programName()} ${signature(command)}${command.json ? " [--json]" : ""}

${command.details}

${flags.join("\n")}
`;
}

function signature({ name, usage }: Command): string {
  return usage === "" ? name : `${name} ${usage}`;
}
