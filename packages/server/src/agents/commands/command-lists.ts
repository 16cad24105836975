import type { AgentCommand } from "@parley/protocol/agent-commands";
import type { CommandScope } from "../../db/tables/agent-commands.ts";

/** The place of a list of commands: its readers, and their language. */
export interface ListPlace {
  readonly scope: CommandScope;
  /** 0 unless the scope is one channel. */
  readonly channelId: number;
  /** Two letters; empty: for every language without a list of its own. */
  readonly language: string;
}

/** The scopes of lists that apply in channels and in direct conversations, the most special one first. */
const IN_CHANNELS: readonly CommandScope[] = [
  "chat_administrators",
  "chat",
  "all_chat_administrators",
  "all_group_chats",
  "default",
];
const IN_DIRECT: readonly CommandScope[] = ["chat", "all_private_chats", "default"];
const FOR_ADMINS: readonly CommandScope[] = ["chat_administrators", "all_chat_administrators"];

/** Returns the scopes that apply to a reader, the most special one first. */
export function scopesFor(isDirect: boolean, isAdmin: boolean): readonly CommandScope[] {
  if (isDirect) return IN_DIRECT;
  return isAdmin ? IN_CHANNELS : IN_CHANNELS.filter((scope) => !FOR_ADMINS.includes(scope));
}

/**
 * Returns the list that applies among those of one agent's name: that of the most special scope, and in it that of the
 * language.
 */
export function appliedList<L extends Pick<ListPlace, "scope" | "language">>(
  lists: readonly L[],
  scopes: readonly CommandScope[],
): L | undefined {
  const rank = ({ scope, language }: L): number => 2 * scopes.indexOf(scope) + (language === "" ? 1 : 0);
  return lists.filter(({ scope }) => scopes.includes(scope)).toSorted((one, other) => rank(one) - rank(other))[0];
}

/** Returns the commands of a stored list. */
export const commandsIn = (json: string): AgentCommand[] => JSON.parse(json) as AgentCommand[];
