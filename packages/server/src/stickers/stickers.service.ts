import { createHash } from "node:crypto";
import {
  GIF_FRAMES,
  GIF_PIXELS,
  STICKER_BYTES,
  STICKER_NAME_MAX,
  STICKER_SIDE,
  STICKERS_PER_USER,
} from "@parley/protocol/limits";
import type { Sticker } from "@parley/protocol/models";
import { lockAccount } from "../accounts/erase/erase.ts";
import { audit } from "../audit/audit.ts";
import { isoTime } from "../base/iso-time.ts";
import { isBlank } from "../base/visible-text.ts";
import { runOnOne } from "../cluster/duties.ts";
import { type AppContext, perServer } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import type { UploadedFile } from "../http/body/multipart.ts";
import type { Identity, UserIdentity } from "../http/identity.ts";
import { hasLevel, MODERATOR } from "../http/site-levels.ts";
import { walkGif } from "../media/gif.ts";
import { codePoint, invisibleCharacter, withoutInvisible } from "../unicode/name-characters.ts";
import * as store from "./stickers.store.ts";
import { deletedStickers, removeUnused } from "./stickers.store.ts";

/**
 * Returns the wire record (protocol §4). Messages store it as JSON, so it does not change with the sticker. Whatever
 * renames a maker (erasing an account does) must also rewrite `messages.sticker` of the rows with that `sticker_id`,
 * with one statement per sticker.
 */
function recordOf(row: store.StickerRow): Sticker {
  return {
    sticker_id: row.id,
    sticker_name: row.name,
    username: row.username,
    url: `/api/stickers/${row.id}/file`,
    mime_type: "image/gif",
    size_bytes: row.size_bytes,
    width: row.width,
    height: row.height,
    frame_count: row.frame_count,
    created_at: isoTime(row.created_at),
  };
}

/**
 * Stores a GIF as the caller's sticker. `created` is false when the caller already has these bytes; the existing
 * sticker then stays unchanged.
 * Errors: `file_too_large`, `not_a_gif`, `gif_limits`, `invalid_request` (name), `sticker_limit_reached`.
 */
export async function uploadSticker(
  ctx: AppContext,
  caller: UserIdentity,
  file: UploadedFile,
  wantedName: string | undefined,
): Promise<{ sticker: Sticker; created: boolean }> {
  const { bytes } = file;
  if (bytes.length > STICKER_BYTES) throw fail("file_too_large", { details: { limit_bytes: STICKER_BYTES } });
  const { width, height, frames } = readSticker(bytes);
  const name = stickerName(wantedName, file.name);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return transact(ctx, async (ctx) => {
    // Of two uploads at once, the second counts the sticker of the first.
    await lockAccount(ctx, caller.userId);
    const count = await store.countStickers(ctx.db, caller.userId);
    const known = await store.findOwnSticker(ctx.db, caller.userId, sha256);
    if (known !== undefined) return { sticker: recordOf(known), created: false };
    if (count >= STICKERS_PER_USER) throw fail("sticker_limit_reached");
    const facts = { name, sha256, size_bytes: bytes.length, width, height, frame_count: frames };
    const row = { user_id: caller.userId, ...facts, created_at: ctx.clock.now() };
    const id = await store.insertSticker(ctx.db, row, bytes);
    // Without an id, a concurrent upload of the same bytes has committed first.
    if (id !== null)
      return { sticker: recordOf({ ...row, id, deleted_at: null, username: caller.username }), created: true };
    const twin = await store.findOwnSticker(ctx.db, caller.userId, sha256);
    if (twin === undefined) throw fail("overloaded", { retryAfter: 1 });
    return { sticker: recordOf(twin), created: false };
  });
}

/**
 * Lists all stickers of a user, by default the caller's own. Errors: `session_required`, `username_required`,
 * `user_not_found`.
 */
export async function listStickers(
  ctx: AppContext,
  caller: Identity,
  username: string | undefined,
): Promise<{ username: string; stickers: Sticker[] }> {
  checkReader(ctx, caller);
  const name = username ?? (caller.kind === "user" ? caller.username : undefined);
  if (name === undefined) throw fail("username_required");
  const user = await store.findMaker(ctx.db, name);
  if (user === undefined) throw fail("user_not_found");
  const rows = await store.stickersOf(ctx.db, user.id);
  return { username: user.username, stickers: rows.map(recordOf) };
}

/**
 * Removes a sticker from its maker's collection, so that nobody can send it. Messages that show it keep it, and its URL
 * stays valid; the sweep removes stickers that no message shows. Errors: `sticker_not_found`, also for another user's
 * sticker.
 */
export async function deleteSticker(ctx: AppContext, caller: UserIdentity, stickerId: number): Promise<void> {
  await transact(ctx, async (ctx) => {
    const row = await store.findSticker(ctx.db, stickerId);
    const isOwn = row?.user_id === caller.userId;
    if (row === undefined || (!isOwn && !hasLevel(caller, MODERATOR))) throw fail("sticker_not_found");
    if (!(await store.markStickerDeleted(ctx.db, stickerId, ctx.clock.now()))) throw fail("sticker_not_found");
    if (!isOwn) await audit(ctx, caller, "sticker_delete", `sticker:${stickerId}`, { username: row.username });
  });
}

/**
 * Returns a sticker's bytes, even if it is deleted; the bytes are null when the caller has them already. Errors:
 * `session_required`, `sticker_not_found`.
 */
export async function readStickerFile(
  ctx: AppContext,
  caller: Identity,
  stickerId: number,
  isKnown: (etag: string) => boolean,
): Promise<{ etag: string; bytes: Uint8Array | null }> {
  checkReader(ctx, caller);
  const sha256 = await store.findStickerHash(ctx.db, stickerId);
  if (sha256 === null) throw fail("sticker_not_found");
  const etag = `"${sha256.slice(0, 32)}"`;
  if (isKnown(etag)) return { etag, bytes: null };
  const bytes = await store.findStickerBytes(ctx.db, stickerId);
  if (bytes === null) throw fail("sticker_not_found");
  return { etag, bytes };
}

/** Returns the record of a sticker to send: any that is not deleted, whoever made it. Errors: `sticker_not_found`. */
export async function stickerToSend(ctx: AppContext, stickerId: number): Promise<Sticker> {
  const row = await store.findSticker(ctx.db, stickerId);
  if (row === undefined || row.deleted_at !== null) throw fail("sticker_not_found");
  return recordOf(row);
}

function checkReader(ctx: AppContext, caller: Identity): void {
  if (caller.kind === "guest" && !ctx.config.guestRead) throw fail("session_required");
}

const LIMITS = { side: STICKER_SIDE, frames: GIF_FRAMES, pixels: GIF_PIXELS };

/**
 * Validates a GIF as a sticker: complete, within the limits, and without data after its end. Errors: `not_a_gif`,
 * `gif_limits`.
 */
function readSticker(bytes: Uint8Array): { width: number; height: number; frames: number } {
  const { outcome, width, height, frames, end } = walkGif(bytes, LIMITS);
  if (outcome === "too_much") throw fail("gif_limits");
  if (outcome === "broken" || end !== bytes.length) throw fail("not_a_gif");
  return { width, height, frames };
}

/** The name for a file without one. */
const NAMELESS = "sticker";

/**
 * Returns a sticker's name, 1 to 32 characters on one line: the given one, or one derived from the file name (protocol
 * §4). A blank name counts as absent, because forms send empty fields. Errors: `invalid_request`.
 */
export function stickerName(given: string | undefined, fileName: string): string {
  const name = given?.trim() ?? "";
  if (isBlank(name)) return nameOfFile(fileName);
  const invisible = invisibleCharacter(name);
  if ([...name].length > STICKER_NAME_MAX || invisible !== null) {
    const what = invisible === null ? "" : `; it contains ${codePoint(invisible)}`;
    const message = `must have 1 to ${STICKER_NAME_MAX} visible characters on one line${what}`;
    throw fail("invalid_request", { details: [{ path: "sticker_name", message }] });
  }
  return name;
}

/** Strips folders (sent by old browsers), the extension and invisible characters, and truncates the rest. */
function nameOfFile(fileName: string): string {
  const last = fileName.split(/[\\/]/).at(-1) ?? "";
  const visible = withoutInvisible(last.replace(/\.[^.]*$/, "").toWellFormed()).trim();
  return isBlank(visible) ? NAMELESS : [...visible].slice(0, STICKER_NAME_MAX).join("").trim();
}

const SWEEP_MS = 10 * 60_000;
/** A message with the sticker may have been in flight when it was deleted. */
const REST_MS = 60 * 60_000;
const SWEEP_MAX = 200;

/** Where the last sweep ended: stickers that messages still show are checked once per round, not in every sweep. */
const place = perServer(() => ({ after: 0 }));

/** Periodically removes deleted stickers that no message shows, at most 200 at a time, until the server closes. */
export function startStickerSweep(ctx: AppContext): void {
  runOnOne(ctx, "sweep stickers", SWEEP_MS, "the sweep of stickers failed", () => sweepStickers(ctx));
}

export async function sweepStickers(ctx: AppContext): Promise<void> {
  const at = place(ctx);
  const ids = await deletedStickers(ctx.db, at.after, ctx.clock.now() - REST_MS, SWEEP_MAX);
  at.after = ids.length === SWEEP_MAX ? (ids.at(-1) ?? 0) : 0;
  if (ids.length > 0) await removeUnused(ctx.db, ids);
}
