import type { Sticker } from "@parley/protocol/models";
import type { MessageRow } from "../../event-log/message-json.ts";
import type { ExportWork } from "../export-work.ts";
import { filesOfMessages, type PictureTable, pictureBytes, type StoredFile } from "./files.store.ts";

/** Where the bytes of a file are: in the storage under a key, or in the row of something. */
export type BytesOf = { readonly key: string } | { readonly table: PictureTable; readonly id: number };

/** A file of a message, or its sticker. */
export interface ExportFile {
  /** Unique in the export: one sticker may be in many messages. */
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
  readonly alt: string | null;
  /** The words of a voice note. */
  readonly transcript: string | null;
  readonly bytes: BytesOf;
}

/** The files of a message: those that the export has, and those of which only a line of text tells. */
export interface MessageFiles {
  readonly shown: ExportFile[];
  readonly lost: ExportFile[];
}

/** Returns the files of these messages. Those that a scanner blocked, or whose bytes are gone, are counted as left out. */
export async function filesOf(work: ExportWork, rows: readonly MessageRow[]): Promise<Map<number, MessageFiles>> {
  const found = new Map<number, MessageFiles>();
  const carrying = rows.filter(({ files, sticker }) => files !== null || sticker !== null);
  const stored = Map.groupBy(
    await filesOfMessages(
      work.db,
      carrying.map(({ id }) => id),
    ),
    (file) => file.message_id,
  );
  for (const row of carrying) {
    const files: MessageFiles = { shown: [], lost: [] };
    for (const file of stored.get(row.id) ?? []) await add(work, files, file);
    if (row.sticker !== null) addSticker(work, files, row.id, JSON.parse(row.sticker) as Sticker);
    found.set(row.id, files);
  }
  return found;
}

async function add(work: ExportWork, { shown, lost }: MessageFiles, file: StoredFile): Promise<void> {
  const leaveOut = (reason: string) => work.tally.leaveOut({ kind: "file", reason, example: String(file.id) });
  if (file.status !== "ready") return leaveOut(file.status === "blocked" ? "blocked" : "not_ready");
  const key = file.storage_key ?? file.sha256;
  const exported: ExportFile = {
    id: String(file.id),
    name: file.name,
    mimeType: file.mime_type,
    size: file.size_bytes,
    alt: file.alt_text,
    transcript: transcriptOf(file.voice),
    bytes: { key },
  };
  if (!work.choice.withFiles) leaveOut("not_asked");
  else if ((await work.storage.size(key)) !== file.size_bytes) leaveOut("no_bytes");
  else {
    work.tally.take("files");
    shown.push(exported);
    return;
  }
  lost.push(exported);
}

function addSticker(work: ExportWork, { shown, lost }: MessageFiles, messageId: number, sticker: Sticker): void {
  const file: ExportFile = {
    id: `s${messageId}`,
    name: `${sticker.sticker_name}.gif`,
    mimeType: sticker.mime_type,
    size: sticker.size_bytes,
    alt: null,
    transcript: null,
    bytes: { table: "sticker_files", id: sticker.sticker_id },
  };
  if (work.choice.withFiles) {
    work.tally.take("files");
    shown.push(file);
    return;
  }
  work.tally.leaveOut({ kind: "file", reason: "not_asked", example: `sticker ${sticker.sticker_id}` });
  lost.push(file);
}

function transcriptOf(voice: string | null): string | null {
  const transcript =
    voice === null ? null : (JSON.parse(voice) as { transcript?: { text?: unknown } | null }).transcript;
  return typeof transcript?.text === "string" ? transcript.text : null;
}

/** Bytes of a name on a disk at most, with room for what a program adds. */
const NAME_BYTES = 200;

/** Returns the name under which a file is written: not too long for a disk, and no way out of its folder. */
export function diskName(name: string): string {
  const plain = name.replace(/[/\\\p{Cc}]/gu, "_").replace(/^\.+$/, "_");
  const dot = plain.lastIndexOf(".");
  const ending = dot > 0 && plain.length - dot <= 16 ? plain.slice(dot) : "";
  let begin = plain.slice(0, plain.length - ending.length);
  while (Buffer.byteLength(begin + ending) > NAME_BYTES) begin = [...begin].slice(0, -1).join("");
  return begin + ending || "file";
}

/** Copies the bytes of a file to the target. */
export async function writeFileBytes(work: ExportWork, path: string, file: ExportFile): Promise<void> {
  const out = await work.target.file(path);
  let written = 0;
  for await (const chunk of await bytesOf(work, file)) {
    written += chunk.length;
    await out.write(chunk);
  }
  await out.close();
  // A program that reads the export expects a file there, so one without bytes takes its place.
  if (written === file.size) return;
  work.tally.take("files", -1);
  work.tally.leaveOut({ kind: "file", reason: "no_bytes", example: file.id });
}

async function bytesOf(
  { db, storage }: ExportWork,
  { bytes }: ExportFile,
): Promise<AsyncIterable<Uint8Array> | Uint8Array[]> {
  if ("table" in bytes) {
    const found = await pictureBytes(db, bytes.table, bytes.id);
    return found === null ? [] : [found];
  }
  const found = await storage.read(bytes.key);
  if (found === null) return [];
  return found instanceof Blob ? found.stream() : found;
}
