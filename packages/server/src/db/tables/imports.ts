import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** A run that takes the history of another chat (protocol §14). */
export interface ImportsTable {
  id: Generated<number>;
  /** `writing` until every message is written; `closed`: nobody sees it yet; `done`: it is open. */
  status: "writing" | "closed" | "done" | "undoing" | "undone";
  /** Format and workspace, such as `slack:T0123`: a second export of the same one is recognised by it. */
  source: string;
  /** The name of the workspace. */
  workspace: string;
  /** Identifies the export (`OpenSource.fingerprint`). */
  fingerprint: string;
  /** Hex; the hashes of erased people's source ids have it. The same for all imports of a source. */
  salt: string;
  /** The place in the stage up to which all messages are written. */
  place: number;
  /** JSON of `ImportCounts`. */
  counts: string;
  /** JSON: what is left out, by kind and reason; null: it is not known yet. */
  left_out: Generated<string | null>;
  created_at: Millis;
  opened_at: Millis | null;
  undone_at: Millis | null;
}

/** Maps a thing of the source to what it has become. Rows stay when the thing is deleted, so that it never returns (§14.7). */
export interface ImportItemsTable {
  source: string;
  kind: "message" | "user" | "agent" | "channel" | "file";
  /** The source's id; of a person who was erased, a hash of it. */
  source_id: string;
  /** The id of the message, user, agent, channel or file. */
  parley_id: number;
  /** Hash of what was taken, to find what a later export changes; null: it does not matter. */
  content_hash: string | null;
  import_id: number;
}

/** The ids of the messages of an import: nobody else's message has one of them. */
export interface ImportBlocksTable {
  first_id: number;
  last_id: number;
  import_id: number;
}

/** Messages that a later export has added to a channel that was here (protocol §14.7). */
export interface ImportExtensionsTable {
  import_id: number;
  channel_id: number;
  /** The number of the first of them. */
  first_seq: number;
  /** The number of the event `history:extended`, which follows the last one. */
  last_seq: number;
}

/** The tables of imports, a part of `Tables`. */
export interface ImportTables {
  imports: ImportsTable;
  import_items: ImportItemsTable;
  import_blocks: ImportBlocksTable;
  import_extensions: ImportExtensionsTable;
}

export const dataClasses: DataClasses = {
  imports: {
    erased: {
      keep: "id status source workspace fingerprint salt place counts left_out created_at opened_at undone_at",
    },
  },
  // A row with the hash of the id takes the place of the person's.
  import_items: { erased: { delete: "source_id", keep: "source kind parley_id content_hash import_id" } },
  import_blocks: { erased: { keep: "first_id last_id import_id" } },
  import_extensions: { erased: { keep: "import_id channel_id first_seq last_seq" }, purged: "keep" },
};
