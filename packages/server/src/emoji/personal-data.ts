import type { ErasingStep } from "../erasure.ts";
import { recordsOf } from "../user-export.ts";
import { publishEmoji } from "./emoji.service.ts";
import { disownEmoji, type EmojiRow, emojiOf, holdEmoji } from "./emoji.store.ts";
import { emojiRecord } from "./emoji-list.ts";

const EMOJI = 50;

/** Removes the user's name from the emoji that they added. The emoji belong to the server, and stay. */
export const eraseEmoji: ErasingStep = async (ctx, { userId }, from) => {
  // Nobody may delete one of them meanwhile: pages would get an emoji back that is gone.
  await holdEmoji(ctx.db);
  const rows = await emojiOf(ctx.db, userId, 0, EMOJI);
  if (rows.length === 0) return null;
  await disownEmoji(
    ctx.db,
    rows.map(({ id }) => id),
  );
  for (const row of rows) publishEmoji(ctx, row.name, emojiRecord({ ...row, username: null }));
  return rows.length < EMOJI ? null : from;
};

/** The emoji that the user added. */
export const exportEmoji = recordsOf<EmojiRow>(async function* (ctx, { userId }) {
  for (let after = 0; ; ) {
    const rows = await emojiOf(ctx.db, userId, after, EMOJI);
    yield rows;
    if (rows.length < EMOJI) return;
    after = rows.at(-1)?.id ?? after;
  }
}, emojiRecord);
