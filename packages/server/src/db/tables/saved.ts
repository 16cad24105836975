import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

export interface SavedTables {
  saved_messages: SavedMessagesTable;
  forwards: ForwardsTable;
}

/** Messages that users have saved (protocol §13.14). The message may be gone. */
interface SavedMessagesTable {
  id: Generated<number>;
  user_id: number;
  message_id: number;
  created_at: Millis;
}

/** Where a forwarded message came from (protocol §13.15): the first source. It may be gone. */
interface ForwardsTable {
  message_id: number;
  source_message_id: number;
  source_channel_id: number;
}

export const dataClasses: DataClasses = {
  saved_messages: { erased: { delete: "user_id", keep: "id message_id created_at" }, purged: "delete" },
  forwards: { erased: { keep: "message_id source_message_id source_channel_id" }, purged: "delete" },
};
