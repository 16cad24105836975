import { makeHidden, readByMembers, setLastMessageAt } from "../../channels/hidden/hidden-channels.ts";
import type { AppContext } from "../../context.ts";
import { tryLockChannel } from "../../event-log/events.ts";
import { appendRun, type Extension, extensionsOf } from "../../event-log/extensions.ts";
import { hideThreads, newestMessageOf, takeOutHistory } from "../../event-log/moved-history.ts";
import { moveOfMessages } from "../../files/imported/imported-file.ts";
import { forgetFollows, recountThread } from "../../messages/threads/history.ts";
import { blockOf, type ImportRow } from "../imports.store.ts";
import { insertItems } from "../map.store.ts";
import { countSince } from "./undo.store.ts";

/** Counts what people have done in channels since the import has added messages to them. */
export async function countDoneSince(ctx: AppContext, importId: number): Promise<number> {
  let count = 0;
  for (const { channel_id, last_seq } of await extensionsOf(ctx.db, importId))
    count += await countSince(ctx.db, channel_id, last_seq);
  return count;
}

/**
 * Hides what an import has added to channels of earlier ones, in the caller's transaction: the messages go to hidden
 * channels of the import, and are removed with these. `users`: whom the import has made.
 */
export async function takeOut(ctx: AppContext, row: ImportRow, users: readonly number[]): Promise<void> {
  const block = await blockOf(ctx.db, row.id);
  if (block === null) return;
  for (const extension of await extensionsOf(ctx.db, row.id)) {
    const { channel_id: from } = extension;
    const to = await hiddenFor(ctx, row, extension);
    const place = { from, to, firstId: block.first_id, lastId: block.last_id };
    const isThere = await tryLockChannel(ctx, from);
    await takeOutHistory(ctx.db, place);
    await moveOfMessages(ctx.db, place);
    for (const rootId of await hideThreads(ctx.db, to, block.first_id)) await recountThread(ctx.db, rootId);
    await forgetFollows(ctx.db, from, users);
    if (!isThere) continue;
    await appendRun(ctx.db, from, { count: 0, at: 0, now: ctx.clock.now() });
    const newest = await newestMessageOf(ctx.db, from);
    if (newest !== null) await setLastMessageAt(ctx.db, from, newest.created_at);
    await readByMembers(ctx.db, from);
  }
}

async function hiddenFor(ctx: AppContext, { id: import_id, source }: ImportRow, { channel_id, last_seq }: Extension) {
  const { id } = await makeHidden(ctx, {
    name: "undone",
    slug: `undone-${Buffer.from(ctx.clock.random(10)).toString("hex")}`,
    isRandomSlug: true,
    isPrivate: true,
    topic: null,
    isReadOnly: true,
    ownerId: null,
    memberIds: [],
    agentIds: [],
    createdAt: ctx.clock.now(),
  });
  const source_id = `(undone ${import_id} ${channel_id} ${last_seq})`;
  await insertItems(ctx.db, [{ source, kind: "channel", source_id, parley_id: id, content_hash: null, import_id }]);
  return id;
}
