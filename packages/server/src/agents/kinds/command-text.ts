import { nameKey } from "../../accounts/names/names.ts";

/** The characters of a message that are searched for a command. */
export const HEAD_LENGTH = 160;

/** A command at the beginning of a message. */
export interface Command {
  /** In lower case, without `/`. */
  readonly name: string;
  /** The name after `@`; null: it names nobody. */
  readonly to: string | null;
}

const COMMAND = /^\/([a-z0-9_]{1,32})(?:@([^\s,;:!?]{1,64}))?(?=$|[\s,;:!?])/i;
const ESCAPED = /\\([!-/:-@[-`{-~])/g;

/** Reads the command with which a text begins; null if it begins with none. Text may be escaped, as that of bots is. */
export function commandOf(text: string): Command | null {
  if (!text.startsWith("/")) return null;
  const found = COMMAND.exec(text.slice(0, HEAD_LENGTH).replace(ESCAPED, "$1"));
  const [, name, to] = found ?? [];
  return name === undefined ? null : { name: name.toLowerCase(), to: to ?? null };
}

/** True if a command names this agent: as it is called, with `_` for spaces, or as the Telegram door writes it. */
export function isNamed(to: string, agentName: string): boolean {
  const key = nameKey(to);
  const own = [agentName, agentName.replaceAll(" ", "_"), agentName.replace(/[^A-Za-z0-9_]/g, "_")];
  return own.some((name) => /[\p{L}\p{N}]/u.test(name) && nameKey(name) === key);
}
