import { UNSENT_FILE_HOURS } from "@parley/protocol/file-limits";
import type { FileRecord } from "@parley/protocol/files";
import { isoTime } from "../base/iso-time.ts";
import type { AppContext } from "../context.ts";
import { type AppError, fail } from "../errors.ts";
import type { AgentIdentity, UserIdentity } from "../http/identity.ts";
import type { FileRow } from "./files.store.ts";
import * as store from "./files.store.ts";
import { voiceOf } from "./voice-note.ts";

type Sender = UserIdentity | AgentIdentity;

/**
 * Returns the records of the caller's files as a message of that sender name stores them. Whether they are still unsent
 * is decided when the message is appended (`lockFiles`).
 * Errors: `file_not_found`, `file_not_ready`, `file_blocked`, `file_already_sent`.
 */
export async function filesToSend(
  ctx: AppContext,
  caller: Sender,
  ids: readonly number[],
  senderName: string,
): Promise<FileRecord[]> {
  const rows = new Map((await store.findFiles(ctx.db, ids)).map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = rows.get(id);
    if (row === undefined || !isOwn(row, caller) || row.status === "storing") throw fail("file_not_found");
    if (row.status === "scanning") throw fail("file_not_ready", { retryAfter: 5 });
    if (row.status === "blocked") throw fail("file_blocked");
    if (row.message_id !== null) throw fail("file_already_sent");
    const name = caller.kind === "user" ? { username: senderName } : { agent_name: senderName };
    return { ...recordOf(row), ...name, expires_at: null };
  });
}

/** True if the caller uploaded the file. */
export const isOwn = (row: store.FileRow, caller: Sender): boolean =>
  caller.kind === "user" ? row.user_id === caller.userId : row.agent_id === caller.agentId;

/**
 * Locks files that a message is about to take, in the transaction that appends it, so that of two messages only one
 * gets them. Returns the error if another message has one of them, or if one is gone; else null.
 */
export async function lockFiles(ctx: AppContext, ids: readonly number[]): Promise<AppError | null> {
  return (await store.lockUnsent(ctx.db, ids)) === ids.length ? null : fail("file_already_sent");
}

/** Gives locked files to the message that was appended in the same transaction. */
export async function bindFiles(
  ctx: AppContext,
  ids: readonly number[],
  { id, channel_id, sender_name }: { id: number; channel_id: number; sender_name: string },
): Promise<void> {
  await store.bindToMessage(ctx.db, ids, { message_id: id, channel_id, uploader_name: sender_name });
}

/** Has files that are not sent kept until then, for a scheduled message; null: as long as others. */
export const keepUnsent = (ctx: AppContext, ids: readonly number[], until: number | null): Promise<void> =>
  store.keepUnsent(ctx.db, ids, until);

const HOUR_MS = 3_600_000;
export const UNSENT_MS = UNSENT_FILE_HOURS * HOUR_MS;

/** Returns the wire record (protocol §13.2). Messages store it as JSON, as it was when they were sent. */
export function recordOf(row: FileRow): FileRecord {
  const url = `/api/files/${row.id}`;
  const voice = voiceOf(row);
  return {
    file_id: row.id,
    name: row.name,
    mime_type: row.mime_type,
    size_bytes: row.size_bytes,
    sha256: row.sha256,
    width: row.width,
    height: row.height,
    alt_text: row.alt_text,
    status: row.status === "storing" ? "scanning" : row.status,
    url,
    preview_url: row.small_sha256 === null ? null : `${url}/preview`,
    username: row.agent_id === null ? row.uploader_name : null,
    agent_name: row.agent_id === null ? null : row.uploader_name,
    created_at: isoTime(row.created_at),
    expires_at: row.message_id === null ? isoTime(Math.max(row.created_at + UNSENT_MS, row.kept_until ?? 0)) : null,
    ...(voice === null ? undefined : { voice }),
  };
}

/** Returns the record of a file that its user has forwarded, without the words of others. */
export const withoutWords = ({ voice, ...record }: FileRecord): FileRecord => ({
  ...record,
  alt_text: null,
  ...(voice === undefined ? undefined : { voice: { ...voice, transcript: null } }),
});
