import type { Emoji } from "@parley/protocol/emoji";
import { EMOJI_PER_SERVER, EMOJI_PER_USER, emojiKey, isEmojiName } from "@parley/protocol/emoji-limits";
import { lockAccount } from "../accounts/erase/erase.ts";
import { audit } from "../audit/audit.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import { decide } from "../http/acts/act.ts";
import type { Identity, UserIdentity } from "../http/identity.ts";
import { ADMINISTRATOR, hasLevel, MODERATOR } from "../http/site-levels.ts";
import { publishControl } from "../realtime/control/control.ts";
import { publishEvent } from "../realtime/publish.ts";
import { EVERYBODY_TOPIC } from "../realtime/topics.ts";
import * as store from "./emoji.store.ts";
import { type EmojiList, emojiList, emojiRecord } from "./emoji-list.ts";
import { emojiPicture } from "./emoji-picture.ts";
import { isStandardName } from "./standard-names.ts";

/**
 * Adds an emoji of this name to the server, for everybody.
 * @throws emoji_not_allowed, invalid_emoji_name, emoji_exists, emoji_limit_reached, and those of `emojiPicture`
 */
export async function addEmoji(
  ctx: AppContext,
  caller: UserIdentity,
  { name, bytes }: { name: string; bytes: Uint8Array },
): Promise<Emoji> {
  await decide(ctx, caller, checkMayAdd);
  if (!isEmojiName(name)) throw fail("invalid_emoji_name");
  if (isStandardName(name)) throw fail("emoji_exists");
  // Decided again below: nobody waits for the decoder for nothing.
  await checkRoom(ctx, caller);
  const picture = await emojiPicture(ctx, caller.userId, bytes);
  return transact(ctx, async (ctx) => {
    await lockAccount(ctx, caller.userId);
    await store.holdEmoji(ctx.db);
    await checkRoom(ctx, caller);
    const row = { name, name_key: emojiKey(name), user_id: caller.userId, created_at: ctx.clock.now() };
    const id = await store.insertEmoji(ctx.db, row, picture);
    if (id === null) throw fail("emoji_exists");
    const record = emojiRecord({ ...row, ...picture, id, size_bytes: picture.bytes.length, username: caller.username });
    publishEmoji(ctx, name, record);
    return record;
  });
}

function checkMayAdd({ config: { customEmoji } }: AppContext, caller: Identity): void {
  if (customEmoji === "off") throw fail("emoji_not_allowed", { details: { who: "nobody" } });
  if (customEmoji === "administrators" && !hasLevel(caller, ADMINISTRATOR))
    throw fail("emoji_not_allowed", { details: { who: "administrators" } });
}

async function checkRoom(ctx: AppContext, caller: UserIdentity): Promise<void> {
  const { all, own } = await store.countEmoji(ctx.db, caller.userId);
  const full = (of: "server" | "user", limit: number) => fail("emoji_limit_reached", { details: { of, limit } });
  if (all >= EMOJI_PER_SERVER) throw full("server", EMOJI_PER_SERVER);
  if (own >= EMOJI_PER_USER && !hasLevel(caller, ADMINISTRATOR)) throw full("user", EMOJI_PER_USER);
}

/**
 * Deletes an emoji: messages and reactions that name it show its name. Allowed for who added it, and for moderators
 * (audited).
 * @throws emoji_not_found, forbidden
 */
export async function deleteEmoji(ctx: AppContext, caller: UserIdentity, name: string): Promise<void> {
  await transact(ctx, async (ctx) => {
    await store.holdEmoji(ctx.db);
    const row = await store.findEmoji(ctx.db, name);
    if (row === undefined) throw fail("emoji_not_found");
    const isOwn = row.user_id === caller.userId;
    if (!isOwn && !hasLevel(caller, MODERATOR)) throw fail("forbidden");
    await store.deleteEmoji(ctx.db, row.id);
    const whose = row.username === null ? {} : { username: row.username };
    if (!isOwn) await audit(ctx, caller, "emoji_delete", `emoji:${name}`, whose);
    publishEmoji(ctx, name, null);
  });
}

/** Has every node forget its list, and every socket learn of the change, after the commit. */
export function publishEmoji(ctx: AppContext, name: string, emoji: Emoji | null): void {
  publishControl(ctx, "emoji_changed", name);
  if (ctx.config.customEmoji !== "off") publishEvent(ctx, EVERYBODY_TOPIC, "emoji:update", { name, emoji });
}

/**
 * Returns all emoji.
 * @throws session_required
 */
export function listEmoji(ctx: AppContext, caller: Identity): EmojiList | Promise<EmojiList> {
  checkReader(ctx, caller);
  return emojiList(ctx);
}

/**
 * Returns the picture of an emoji; the bytes are null when the caller has them already.
 * @throws session_required, emoji_not_found
 */
export async function readEmojiPicture(
  ctx: AppContext,
  caller: Identity,
  name: string,
  isKnown: (etag: string) => boolean,
): Promise<{ etag: string; mimeType: string; bytes: Uint8Array | null }> {
  checkReader(ctx, caller);
  const row = ctx.config.customEmoji === "off" ? undefined : await store.findEmoji(ctx.db, name);
  if (row === undefined) throw fail("emoji_not_found");
  const { etag, mime_type: mimeType } = row;
  if (isKnown(etag)) return { etag, mimeType, bytes: null };
  const bytes = await store.findEmojiBytes(ctx.db, row.id);
  if (bytes === null) throw fail("emoji_not_found");
  return { etag, mimeType, bytes };
}

function checkReader(ctx: AppContext, caller: Identity): void {
  if (caller.kind === "guest" && !ctx.config.guestRead) throw fail("session_required");
}
