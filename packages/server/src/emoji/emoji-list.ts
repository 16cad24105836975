import type { Emoji } from "@parley/protocol/emoji";
import { etagOf } from "../base/etag.ts";
import { isoTime } from "../base/iso-time.ts";
import { type AppContext, perServer } from "../context.ts";
import { ReadyJson } from "../http/route.ts";
import { rowCache, rowOf } from "../realtime/control/row-cache.ts";
import { allEmoji, type EmojiRow } from "./emoji.store.ts";

/** The key of the only row. */
const LIST = 0;

/** The answer that lists all emoji, and its ETag. */
export interface EmojiList {
  readonly etag: string;
  readonly answer: ReadyJson;
}

/** The list as this node last read it: it is asked for by each page that shows an emoji of the server. */
const kept = perServer((ctx) => {
  const forget = (cache: { forget(key: number): void }) => cache.forget(LIST);
  return rowCache<number, EmojiList>(ctx, 1, { emoji_changed: forget, import_opened: forget });
});

/** Returns the answer that lists all emoji. */
export const emojiList = (ctx: AppContext): EmojiList | Promise<EmojiList> =>
  ctx.config.customEmoji === "off" ? listOf([]) : rowOf(ctx, kept(ctx), LIST, async (db) => listOf(await allEmoji(db)));

function listOf(rows: readonly EmojiRow[]): EmojiList {
  const json = JSON.stringify({ success: true, emoji: rows.map(emojiRecord) });
  return { etag: etagOf(json), answer: new ReadyJson(json, 200) };
}

/** Returns the wire record (protocol §13.17). */
export const emojiRecord = (row: EmojiRow): Emoji => ({
  name: row.name,
  url: `/api/emoji/${row.name}/picture?v=${versionOf(row.etag)}`,
  mime_type: row.mime_type,
  width: row.width,
  height: row.height,
  is_animated: row.is_animated === 1,
  username: row.username,
  created_at: isoTime(row.created_at),
});

/** The version of a picture on the wire: its ETag without the quotes. */
export const versionOf = (etag: string): string => etag.slice(1, -1);
