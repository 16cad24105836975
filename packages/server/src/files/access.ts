import type { ErrorCode } from "@parley/protocol/errors";
import { readableChannel } from "../channels/access/access.ts";
import type { AppContext } from "../context.ts";
import { AppError, fail } from "../errors.ts";
import type { Identity } from "../http/identity.ts";
import * as store from "./files.store.ts";
import { isOwn } from "./sending.ts";

/**
 * Returns a file that the caller may read now: one that was sent, to those who may read its channel; one that was not,
 * to its uploader. Looked up each time, so a deleted message or a lost membership ends the access at once.
 * Errors: `session_required`, `file_not_found`, and where the channel has a price, those of `readableChannel`.
 */
export async function readableFile(ctx: AppContext, caller: Identity, fileId: number): Promise<store.FileRow> {
  if (caller.kind === "guest" && !ctx.config.guestRead) throw fail("session_required");
  const file = await store.findFile(ctx.db, fileId);
  if (file === undefined || file.status === "storing") throw fail("file_not_found");
  if (file.message_id === null) {
    if (caller.kind === "guest" || !isOwn(file, caller)) throw fail("file_not_found");
    return file;
  }
  if (!file.is_shown || file.channel_id === null) throw fail("file_not_found");
  try {
    await readableChannel(ctx, caller, { id: file.channel_id }, "file_not_found");
  } catch (error) {
    throw isHidden(error) ? fail("file_not_found") : error;
  }
  return file;
}

/** Like `readableFile`, for its bytes. Errors: also `file_not_ready`, `file_blocked`. */
export async function readableBytes(ctx: AppContext, caller: Identity, fileId: number): Promise<store.FileRow> {
  const file = await readableFile(ctx, caller, fileId);
  if (file.status === "scanning") throw fail("file_not_ready", { retryAfter: 5 });
  if (file.status === "blocked") throw fail("file_blocked");
  return file;
}

const HIDDEN: ReadonlySet<ErrorCode> = new Set([
  "message_not_found",
  "channel_not_found",
  "password_required",
  "channel_not_in_scope",
]);

/** A URL that was passed on must not tell that the channel exists. */
export const isHidden = (error: unknown): boolean => error instanceof AppError && HIDDEN.has(error.code);
