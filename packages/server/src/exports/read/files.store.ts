import type { Db } from "../../db/db.ts";
import { PaddedStatement } from "../../db/statements/padded-statement.ts";

/** A file of a message, with the key of its bytes. */
export interface StoredFile {
  id: number;
  message_id: number | null;
  name: string;
  mime_type: string;
  size_bytes: number;
  alt_text: string | null;
  status: "storing" | "scanning" | "ready" | "blocked";
  voice: string | null;
  sha256: string;
  storage_key: string | null;
}

const COLUMNS = [
  "files.id",
  "files.message_id",
  "files.name",
  "files.mime_type",
  "files.size_bytes",
  "files.alt_text",
  "files.status",
  "files.voice",
  "files.sha256",
  "file_blobs.storage_key",
] as const;

const OF_MESSAGES = new PaddedStatement<StoredFile>((db, ids) =>
  db
    .selectFrom("files")
    .leftJoin("file_blobs", "file_blobs.sha256", "files.sha256")
    .select(COLUMNS)
    .where("files.message_id", "in", ids)
    .orderBy("files.id"),
);

/** Returns the files of these messages. */
export const filesOfMessages = (db: Db, messageIds: readonly number[]) => OF_MESSAGES.all(db, messageIds);

const PICTURES = {
  sticker_files: (db: Db, id: number) =>
    db.selectFrom("sticker_files").select("bytes").where("sticker_id", "=", id).executeTakeFirst(),
  emoji_files: (db: Db, id: number) =>
    db.selectFrom("emoji_files").select("bytes").where("emoji_id", "=", id).executeTakeFirst(),
  avatars: (db: Db, id: number) =>
    db.selectFrom("avatars").select("bytes").where("user_id", "=", id).executeTakeFirst(),
};

/** The tables that have pictures in their rows. */
export type PictureTable = keyof typeof PICTURES;

/** Returns the bytes of a picture; null if it is gone. */
export const pictureBytes = async (db: Db, table: PictureTable, id: number): Promise<Uint8Array | null> =>
  (await PICTURES[table](db, id))?.bytes ?? null;
