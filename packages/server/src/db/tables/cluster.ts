import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** The nodes of the cluster. Times are the database's, so that the nodes' clocks do not matter. */
export interface NodesTable {
  /** Random; new with each start, and after the node was declared dead. */
  id: string;
  name: string;
  version: string;
  /** The newest migration that the node knows. */
  schema_number: number;
  /** The Redis servers the node uses, without passwords. */
  shards: string;
  state: "ready" | "draining";
  seen_at: Millis;
  /** Why the node doubts the bus; null: it does not. */
  doubt: string | null;
  /** The node's id before it was declared dead; null: it was not. */
  former_id: string | null;
}

/** Which node does the work that only one node at a time does. A lease decides who works, never what is right. */
export interface LeasesTable {
  name: string;
  /** A node's id. */
  holder: string;
  /** Increases with every change of holder. */
  fence: number;
  until: Millis;
}

/** The counters of rate limits that must hold without Redis. */
export interface RateLimitsTable {
  /** The policy and its subject. */
  key: string;
  /** When the subject's quota is full again. */
  full_at: Millis;
}

/** Failed logins of the last minutes, which slow down further ones on every node: one row for each thing counted. */
export interface LoginFailuresTable {
  id: Generated<number>;
  /** A hash of what is counted: a name in a network, a browser or a network. */
  key: string;
  /** The database's time. */
  failed_at: Millis;
}

/** The page's files of the releases whose nodes ran recently, so that every node serves them during an upgrade. */
export interface WebFilesTable {
  path: string;
  type: string;
  bytes: Uint8Array;
  stored_at: Millis;
}

export const dataClasses: DataClasses = {
  nodes: { erased: { keep: "id name version schema_number shards state seen_at doubt former_id" } },
  leases: { erased: { keep: "name holder fence until" } },
  rate_limits: { erased: { keep: "key full_at" } },
  login_failures: { erased: { keep: "id key failed_at" } },
  web_files: { erased: { keep: "path type bytes stored_at" } },
};
