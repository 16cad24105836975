import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** Uploaded files. One without `message_id` was not sent yet. */
export interface FilesTable {
  id: Generated<number>;
  /** Who uploaded it; null: an agent, or an account that was deleted. */
  user_id: number | null;
  agent_id: number | null;
  uploader_name: string;
  name: string;
  /** The type it is served with. */
  mime_type: string;
  kind: "image" | "video" | "audio" | "text" | "other";
  /** SHA-256 of the bytes as they are served, hex. */
  sha256: string;
  size_bytes: number;
  width: number | null;
  height: number | null;
  alt_text: string | null;
  small_sha256: string | null;
  large_sha256: string | null;
  /** `storing`: the bytes may not be in the storage yet. */
  status: "storing" | "scanning" | "ready" | "blocked";
  channel_id: number | null;
  message_id: number | null;
  created_at: Millis;
  /** A scheduled message needs it until then, although it was not sent; null: none does. */
  kept_until: Millis | null;
  /** JSON of a `VoiceNote`; null: the file is none. */
  voice: string | null;
}

/** The bytes in the file storage, by hash. */
export interface FileBlobsTable {
  sha256: string;
  size_bytes: number;
  /** Files and previews that have these bytes. */
  refs: number;
  /** Since when `refs` is 0. */
  unused_at: Millis | null;
  /** Used by nodes of an older release only. */
  removing_until: Millis | null;
  /** Where the bytes are stored; null: under their hash. No key is used twice. */
  storage_key: string | null;
}

/** Keys of bytes that nothing refers to any more, until they are removed from the storage. */
export interface FileRemovalsTable {
  storage_key: string;
  created_at: Millis;
}

/** The bytes of all files of a user (`u<id>`) or agent (`a<id>`), and of everything in the storage (`all`). */
export interface FileUsageTable {
  owner: string;
  bytes: number;
}

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
  files: {
    erased: {
      delete: "user_id",
      null: "user_id",
      label: "uploader_name",
      keep: `id agent_id name mime_type kind sha256 size_bytes width height alt_text small_sha256 large_sha256 status
      channel_id message_id created_at kept_until voice`,
    },
    purged: "delete",
  },
  file_blobs: {
    erased: { files: "refs unused_at", keep: "sha256 size_bytes removing_until storage_key" },
    purged: { purge: "refs unused_at", keep: "sha256 size_bytes removing_until storage_key" },
  },
  file_removals: { erased: { keep: "storage_key created_at" } },
  file_usage: { erased: { delete: "owner", keep: "bytes" }, purged: { purge: "bytes", keep: "owner" } },
  stickers: {
    erased: {
      delete: "user_id",
      stickers: "deleted_at",
      keep: "id name sha256 size_bytes width height frame_count created_at",
    },
  },
  sticker_files: { erased: { delete: "sticker_id", keep: "bytes" } },
};
