import { EMOJI_PER_SERVER, emojiKey, isEmojiName } from "@parley/protocol/emoji-limits";
import type { AppContext } from "../context.ts";
import type { Db } from "../db/db.ts";
import { transact } from "../db/transact.ts";
import { AppError } from "../errors.ts";
import { publishControl, recordControl } from "../realtime/control/control.ts";
import * as store from "./emoji.store.ts";
import { emojiPicture } from "./emoji-picture.ts";
import { isStandardName } from "./standard-names.ts";

/** Imports decode one picture at a time, beside those of users, whose ids are above 0. */
const TURN = 0;

/** Why an emoji of an import is not taken, for programs. */
export type EmojiRefusal =
  | "emoji_not_allowed"
  | "invalid_emoji_name"
  | "emoji_exists"
  | "emoji_limit_reached"
  | "invalid_emoji_picture"
  | "file_too_large";

/**
 * Adds an emoji that nobody sees before `showEmoji`. Its name is held. The same one of the same import is taken once.
 * Returns null, or why it is not taken. Throws `overloaded` if its picture cannot be decoded now.
 */
export async function storeHiddenEmoji(
  ctx: AppContext,
  importId: number,
  name: string,
  bytes: () => Promise<Uint8Array | null>,
): Promise<EmojiRefusal | null> {
  if (ctx.config.customEmoji === "off") return "emoji_not_allowed";
  if (!isEmojiName(name)) return "invalid_emoji_name";
  const before = await store.findKey(ctx.db, emojiKey(name));
  if (before !== undefined) return before.import_id === importId && before.name === name ? null : "emoji_exists";
  if (isStandardName(name)) return "emoji_exists";
  const input = await bytes();
  if (input === null) return "file_too_large";
  const picture = await emojiPicture(ctx, TURN, input).catch((error: unknown) => {
    if (error instanceof AppError && isRefusal(error.code)) return error.code;
    throw error;
  });
  if (typeof picture === "string") return picture;
  return transact(ctx, async (ctx) => {
    await store.holdEmoji(ctx.db);
    if ((await store.countEmoji(ctx.db, TURN)).all >= EMOJI_PER_SERVER) return "emoji_limit_reached";
    const row = { name, name_key: emojiKey(name), user_id: null, created_at: ctx.clock.now() };
    const id = await store.insertEmoji(ctx.db, { ...row, import_id: importId, is_hidden: 1 }, picture);
    return id === null ? "emoji_exists" : null;
  });
}

const isRefusal = (code: string): code is "invalid_emoji_picture" | "file_too_large" =>
  code === "invalid_emoji_picture" || code === "file_too_large";

/** Shows the emoji of an import, in the caller's transaction. */
export async function showEmoji(db: Db, importId: number): Promise<void> {
  await store.holdEmoji(db);
  await store.showImported(db, importId);
}

/**
 * Deletes the emoji of an import, in the caller's transaction. Texts and reactions show their names. A server that runs beside
 * this process reads its list again.
 */
export async function deleteImportedEmoji(ctx: AppContext, importId: number): Promise<void> {
  await store.holdEmoji(ctx.db);
  if (!(await store.deleteImported(ctx.db, importId))) return;
  publishControl(ctx, "emoji_changed", `import:${importId}`);
  if (ctx.cluster === null) await recordControl(ctx.db, ctx.clock, "emoji_changed", `import:${importId}`);
}
