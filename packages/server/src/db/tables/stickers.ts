import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** GIFs that users have uploaded. A deleted one is kept while a message shows it. */
export interface StickersTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** SHA-256 of the bytes, hex. A user has the same bytes only once. */
  sha256: string;
  size_bytes: number;
  width: number;
  height: number;
  frame_count: number;
  created_at: Millis;
  deleted_at: Millis | null;
}

export interface StickerFilesTable {
  sticker_id: number;
  bytes: Uint8Array;
}

export const dataClasses: DataClasses = {
  stickers: {
    erased: {
      delete: "user_id",
      stickers: "deleted_at",
      keep: "id name sha256 size_bytes width height frame_count created_at",
    },
  },
  sticker_files: { erased: { delete: "sticker_id", keep: "bytes" } },
};
