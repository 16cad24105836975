import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** The work of agents in threads: a row for each thread and agent (protocol §16.4). */
export interface AgentSessionsTable {
  id: Generated<number>;
  agent_id: number;
  agent_name: string;
  channel_id: number;
  thread_root_id: number;
  title: string | null;
  /** As the agent has set it. */
  state: "working" | "done" | "failed";
  /** When that state began. */
  since: Millis;
  /** Not null: the agent was working, and has been away since then. */
  gone_at: Millis | null;
}

export const dataClasses: DataClasses = {
  agent_sessions: {
    erased: {
      delete: "agent_id",
      keep: "id agent_name channel_id thread_root_id title state since gone_at",
    },
    purged: "delete",
  },
};
