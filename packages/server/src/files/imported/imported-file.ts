import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { FileRecord } from "@parley/protocol/files";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { slowly } from "../../http/acts/slow.ts";
import * as blobs from "../blobs.store.ts";
import * as store from "../files.store.ts";
import { removeUnsent } from "../removal.ts";
import { scanNew } from "../scanning.ts";
import { recordOf } from "../sending.ts";
import { newKey } from "../storage/file-storage.ts";
import { fileStorage } from "../storage/open-storage.ts";
import { fileName } from "../upload/file-name.ts";
import { HEAD_BYTES, TextProbe } from "../upload/file-type.ts";
import type { ReceivedForm } from "../upload/receive-form.ts";
import { type Prepared, prepare } from "../upload/upload.service.ts";
import { UploadFolder, writeAll } from "../upload/upload-folder.ts";

const MIB = 1024 * 1024;
/** A file is kept so long until its message is written. */
const KEPT_MS = 24 * 60 * 60_000;
/** The account in whose name the decoder takes the pictures. */
const ACCOUNT = { key: "import" } as const;

/** A file of an import, whose bytes come from the export. */
export interface ImportedFile {
  name: string;
  /** The media type that the source gives. */
  declared: string | null;
  altText: string | null;
  bytes: ReadableStream<Uint8Array>;
  sender: { kind: "user" | "agent"; id: number; name: string } | null;
  createdAt: number;
}

/**
 * Stores a file by the rules of uploads, but against nobody's quota. No message has it yet. `note` runs in the transaction
 * that makes its row. Errors: `file_too_large`, `empty_file`, `type_not_allowed`, `image_limits`, `file_blocked`,
 * `storage_full`, `storage_unavailable`, `overloaded`.
 */
export async function storeImported(
  ctx: AppContext,
  file: ImportedFile,
  note: (ctx: AppContext, id: number) => Promise<void>,
): Promise<FileRecord> {
  const storage = fileStorage(ctx);
  await using folder = new UploadFolder(storage.incoming, Buffer.from(ctx.clock.random(12)).toString("hex"));
  const form = await received(ctx, file, folder.original);
  const name = fileName(file.name);
  const prepared = await prepare(ctx, ACCOUNT, folder, form, name);
  // A file that waits for the scanner could not be shown by its message.
  const status = await slowly(ctx, "scan", () => scanNew(ctx, prepared.main.path, name));
  if (status !== "ready") throw fail("overloaded", { retryAfter: 1 });
  const parts = [prepared.main, prepared.small, prepared.large].filter((blob) => blob !== null);
  const row = rowOf(ctx, file, name, prepared);
  const id = await transact(ctx, async (ctx) => {
    const id = await reserve(ctx, row, parts);
    await note(ctx, id);
    return id;
  });
  try {
    for (const { key, path } of parts) await storage.store(key, path);
    await transact(ctx, (ctx) => store.moveStatus(ctx.db, id, "storing", "ready"));
  } catch (error) {
    await removeUnsent(ctx, [id]);
    throw error;
  }
  return sentRecord({ ...row, id, status: "ready" });
}

/** Writes the bytes to a temporary file. */
async function received(ctx: AppContext, file: ImportedFile, path: string): Promise<ReceivedForm> {
  const [hash, probe, head] = [createHash("sha256"), new TextProbe(), [] as Uint8Array[]];
  let [size, headSize] = [0, 0];
  const target = await open(path, "wx", 0o600);
  try {
    for await (const piece of file.bytes) {
      size += piece.length;
      if (size > ctx.config.fileMaxMib * MIB) throw fail("file_too_large");
      if (headSize < HEAD_BYTES) head.push(piece.slice(0, HEAD_BYTES - headSize));
      headSize += piece.length;
      hash.update(piece);
      probe.add(piece);
      await writeAll(target, [piece]);
    }
  } finally {
    await target.close();
  }
  if (size === 0) throw fail("empty_file");
  return {
    size,
    sha256: hash.digest("hex"),
    head: Buffer.concat(head),
    isText: probe.isText(),
    sentName: file.name,
    declared: file.declared,
    altText: file.altText,
    voice: null,
  };
}

const rowOf = (ctx: AppContext, { sender, altText, createdAt }: ImportedFile, name: string, prepared: Prepared) => ({
  user_id: sender?.kind === "user" ? sender.id : null,
  agent_id: sender?.kind === "agent" ? sender.id : null,
  uploader_name: sender?.name ?? "",
  name,
  mime_type: prepared.type.mimeType,
  kind: prepared.type.kind,
  sha256: prepared.main.sha256,
  size_bytes: prepared.main.size,
  width: prepared.width,
  height: prepared.height,
  alt_text: altText,
  small_sha256: prepared.small?.sha256 ?? null,
  large_sha256: prepared.large?.sha256 ?? null,
  status: "storing" as const,
  channel_id: null,
  message_id: null,
  created_at: createdAt,
  // The sweep goes by the time of creation, which is that of the message.
  kept_until: ctx.clock.now() + KEPT_MS,
  voice: null,
});

/** Takes references to the bytes and inserts the row. Sets the keys of the parts. */
async function reserve(
  ctx: AppContext,
  row: Omit<store.FileRow, "id">,
  parts: readonly Prepared["main"][],
): Promise<number> {
  let added = 0;
  for (const blob of [...parts].sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1))) {
    const reference = await blobs.addReference(ctx.db, blob, newKey(ctx.clock, blob.sha256));
    blob.key = reference.key;
    if (reference.isOnly) added += blob.size;
  }
  const { filesTotalMib } = ctx.config;
  const total = filesTotalMib === null ? null : filesTotalMib * MIB;
  if (added > 0 && !(await blobs.addUsage(ctx.db, blobs.ALL, added, total))) throw fail("storage_full");
  return store.insertFile(ctx.db, row);
}

const sentRecord = (row: store.FileRow): FileRecord => ({ ...recordOf(row), expires_at: null });

/** Returns the records of files that were stored before and have no message yet, by their ids. */
export async function storedBefore(ctx: AppContext, ids: readonly number[]): Promise<Map<number, FileRecord>> {
  if (ids.length === 0) return new Map();
  const rows = await store.findFiles(ctx.db, ids);
  const ready = rows.filter(({ status, message_id }) => status === "ready" && message_id === null);
  return new Map(ready.map((row) => [row.id, sentRecord(row)]));
}

/** Gives a file to the message that is written in the same transaction. */
export async function giveToMessage(
  ctx: AppContext,
  ids: readonly number[],
  place: { message_id: number; channel_id: number; uploader_name: string },
): Promise<void> {
  await store.keepUnsent(ctx.db, ids, null);
  await store.bindToMessage(ctx.db, ids, place);
}

/** Moves files with the messages of a channel, or of a block of ids in it, to another channel. */
export const { moveToChannel, moveOfMessages } = store;
