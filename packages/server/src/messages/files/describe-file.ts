import type { FileRecord } from "@parley/protocol/files";
import type { AppContext } from "../../context.ts";
import { AppError, fail } from "../../errors.ts";
import { readableFile } from "../../files/access.ts";
import { describeFile, describeUnsent, fileRecord } from "../../files/files.service.ts";
import { isOwn } from "../../files/sending.ts";
import type { AgentIdentity, UserIdentity } from "../../http/identity.ts";
import { editFiles } from "../messages.service.ts";

/**
 * Changes the description of the caller's own file. If the file was sent, its message changes, too, as by an edit.
 * Errors: those of `readableFile`, `forbidden`, and for a file that was sent those of `editFiles`.
 */
export async function describeOwnFile(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  fileId: number,
  text: string | null,
): Promise<FileRecord> {
  const altText = text?.trim() || null;
  const file = await readableFile(ctx, caller, fileId);
  if (!isOwn(file, caller)) throw fail("forbidden");
  if (file.message_id === null && (await describeUnsent(ctx, fileId, altText))) return fileRecord(ctx, caller, fileId);
  // It may have been sent a moment ago.
  const { message_id: messageId } = await readableFile(ctx, caller, fileId);
  if (messageId === null) throw fail("file_not_found");
  await editFiles(ctx, caller, messageId, async (ctx, records) => {
    await describeFile(ctx, fileId, altText);
    return records.map((record) => (record.file_id === fileId ? { ...record, alt_text: altText } : record));
  }).catch((error: unknown) => {
    throw isGone(error) ? fail("file_not_found") : error;
  });
  return fileRecord(ctx, caller, fileId);
}

const isGone = (error: unknown): boolean =>
  error instanceof AppError && (error.code === "message_not_found" || error.code === "message_deleted");
