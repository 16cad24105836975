import type { FileRecord } from "@parley/protocol/files";
import type { AppContext } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { storedBefore, storeImported } from "../../files/imported/imported-file.ts";
import { removeUnsent } from "../../files/removal.ts";
import { deleteItems, idsOfItems, insertItems } from "../map.store.ts";
import { type OpenSource, SourceError, type SourceFile } from "../source.ts";
import type { StagedMessage } from "../stage.ts";
import type { Directory } from "../write/directory.ts";

/** The files of messages whose bytes are stored, by the messages' ids in the source. */
export type StoredFiles = Map<string, FilesOfMessage>;

export interface FilesOfMessage {
  records: readonly FileRecord[];
  lost: readonly SourceFile[];
  /** The first file is the whole text, of which the message has only the first part. */
  hasWholeText?: true;
}

export interface FilesOf {
  importId: number;
  source: string;
  directory: Directory;
  roads: FileRoads;
}

/** Fetches the bytes of a file of which the export has only a link. Throws `SourceError` if they are not there. */
export type FetchFile = (file: SourceFile) => Promise<ReadableStream<Uint8Array>>;

/** Where the bytes of files come from: the export, or links; null: such files are not taken. */
export interface FileRoads {
  open: OpenSource["file"] | null;
  link: FetchFile | null;
}

/** Returns how the bytes of a file are got; null if it is not taken. */
export function roadOf({ open, link }: FileRoads, file: SourceFile): (() => ReturnType<FetchFile>) | null {
  const { path, url } = file;
  if (path !== null) return open === null ? null : () => open(path);
  return url === null || link === null ? null : () => link(file);
}

/** Errors that end an import instead of leaving a file out: it continues when there is room, or the storage or scanner answers. */
const ENDING: ReadonlySet<string> = new Set(["storage_full", "storage_unavailable", "overloaded"]);

/**
 * Stores the files of messages before these are written. A file that a killed process has stored is used. One that cannot be
 * taken is lost: its message says so.
 */
export async function takeFiles(
  ctx: AppContext,
  messages: readonly StagedMessage[],
  options: FilesOf,
): Promise<StoredFiles> {
  const all: StoredFiles = new Map();
  const { roads } = options;
  if (roads.open === null && roads.link === null) return all;
  for (const message of messages) {
    if (message.files.length === 0 || message.isTombstone || !options.directory.channels.has(message.channelId))
      continue;
    const taken = { records: [] as FileRecord[], lost: [] as SourceFile[] };
    for (const file of message.files) {
      const road = roadOf(roads, file);
      const record = road === null ? null : await takeFile(ctx, message, file, road, options);
      if (record === null) taken.lost.push(file);
      else taken.records.push(record);
    }
    all.set(message.id, taken);
  }
  return all;
}

async function takeFile(
  ctx: AppContext,
  message: StagedMessage,
  file: Pick<SourceFile, "id" | "name" | "mimeType" | "alt">,
  bytes: () => Promise<ReadableStream<Uint8Array>>,
  { importId, source, directory }: FilesOf,
): Promise<FileRecord | null> {
  // Two messages may show one file of the source; each has a file of its own in Parley.
  const sourceId = `${message.id} ${file.id}`;
  const [known] = (await idsOfItems(ctx.db, source, "file", [sourceId])).values();
  if (known !== undefined) {
    const before = (await storedBefore(ctx, [known])).get(known);
    if (before !== undefined) return before;
    // Its process was killed before the bytes were stored.
    await removeUnsent(ctx, [known]);
    await deleteItems(ctx.db, source, "file", [sourceId]);
  }
  const sender = directory.people.get(message.senderId ?? "") ?? null;
  const item = { source, kind: "file" as const, source_id: sourceId, content_hash: null, import_id: importId };
  try {
    const facts = { name: file.name, declared: file.mimeType, altText: file.alt, sender, createdAt: message.at };
    return await storeImported(ctx, { ...facts, bytes: await bytes() }, (ctx, id) =>
      insertItems(ctx.db, [{ ...item, parley_id: id }]).then(() => {}),
    );
  } catch (error) {
    const code = error instanceof SourceError ? "unreadable" : error instanceof AppError ? error.code : null;
    if (code === null || ENDING.has(code)) throw error;
    ctx.log.warn({ code, file: file.id }, "a file of an import was left out");
    return null;
  }
}

/** Stores a text that is too long for messages as a file of its message. Returns null if that is not possible. */
export const takeWholeText = (
  ctx: AppContext,
  message: StagedMessage,
  content: string,
  options: FilesOf,
): Promise<FileRecord | null> => {
  const file = { id: "message.md", name: "message.md", mimeType: "text/markdown", alt: null };
  return takeFile(ctx, message, file, async () => new Blob([content]).stream(), options);
};
