import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** The emoji of the server (protocol §13.17). */
export interface EmojiTable {
  id: Generated<number>;
  name: string;
  /** The name without the differences that people do not see (`emojiKey`). */
  name_key: string;
  /** The user who added it; null: the account was erased. */
  user_id: number | null;
  mime_type: "image/webp" | "image/gif";
  /** The value of the ETag header, including its quotes. */
  etag: string;
  size_bytes: number;
  width: number;
  height: number;
  is_animated: 0 | 1;
  created_at: Millis;
  /** The import that brought it; null: a user added it. */
  import_id: Generated<number | null>;
  /** 1: its import is not open, so nobody sees it. */
  is_hidden: Generated<0 | 1>;
}

export interface EmojiFilesTable {
  emoji_id: number;
  bytes: Uint8Array;
}

/** One row, whose id is 0: it is held while emoji are counted and added. */
export interface EmojiChangesTable {
  id: number;
  changes: number;
}

/** The tables of emoji, a part of `Tables`. */
export interface EmojiTables {
  emoji: EmojiTable;
  emoji_files: EmojiFilesTable;
  emoji_changes: EmojiChangesTable;
}

export const dataClasses: DataClasses = {
  emoji: {
    erased: {
      null: "user_id",
      keep: "id name name_key mime_type etag size_bytes width height is_animated created_at import_id is_hidden",
    },
  },
  emoji_files: { erased: { keep: "emoji_id bytes" } },
  emoji_changes: { erased: { emoji: "changes", keep: "id" } },
};
