import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** The readers for whom a list of commands is meant, in the words of the Bot API. */
export type CommandScope =
  | "default"
  | "all_private_chats"
  | "all_group_chats"
  | "all_chat_administrators"
  | "chat"
  | "chat_administrators";

/** The commands that agents declare, a row for each list. */
export interface AgentCommandsTable {
  id: Generated<number>;
  agent_id: number;
  /** The name whose commands they are. */
  name_key: string;
  scope: CommandScope;
  /** 0 unless the scope is one channel. */
  channel_id: number;
  /** Two letters; empty: for all languages that have no list of their own. */
  language: string;
  /** `[{command, description}]` as JSON, never empty. */
  commands: string;
  set_at: Millis;
}

export const dataClasses: DataClasses = {
  agent_commands: {
    erased: { delete: "agent_id", keep: "id name_key scope channel_id language commands set_at" },
    purged: "delete",
  },
};
