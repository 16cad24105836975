import { deleteHidden, keepPeopleOf, readByMembers } from "../../channels/hidden/hidden-channels.ts";
import type { AppContext } from "../../context.ts";
import { tryLockChannel } from "../../event-log/events.ts";
import { appendRun, insertExtension } from "../../event-log/extensions.ts";
import { newestSeq, passOver } from "../../event-log/history.ts";
import { leaveOutsideThreads, moveHistory, newestMessageOf, trimPins } from "../../event-log/moved-history.ts";
import { moveToChannel } from "../../files/imported/imported-file.ts";
import { moveFollows, readAllThreads } from "../../messages/threads/history.ts";
import type { ImportRow } from "../imports.store.ts";
import { blocksOfSource, type LateChannel, lateChannels } from "../late/late.store.ts";
import { isOfBlocks } from "../late/late-places.ts";
import { deleteItems } from "../map.store.ts";
import { ImportRefused } from "../one-at-a-time.ts";
import { joinThreads } from "./join-threads.ts";

/**
 * Adds the messages of a later export to channels that were here, in the transaction that opens it (protocol §14.7). Where
 * people have written since they were written, they get a second channel. `purposes`: the consumers for which they are no
 * news. Throws `ImportRefused` if they can go nowhere.
 */
export async function addLate(ctx: AppContext, row: ImportRow, purposes: readonly string[]): Promise<void> {
  const all = await lateChannels(ctx.db, row.id);
  const blocks = await blocksOfSource(ctx.db, row.source);
  for (const late of all) {
    if (late.kind === "tail") {
      const isThere = await tryLockChannel(ctx, late.target);
      const newest = await newestMessageOf(ctx.db, late.target);
      const isUsed = newest !== null && !isOfBlocks(newest.id, blocks);
      if (isThere && !isUsed) {
        await addTo(ctx, row, late, purposes);
        continue;
      }
      if (!isThere || late.mode === "skip") throw new ImportRefused(cannotAdd(row.id, isThere));
      await leaveOutsideThreads(ctx.db, late.id);
      const earlier = all.find(({ kind, target }) => kind === "earlier" && target === late.target);
      if (earlier !== undefined) {
        await moveAll(ctx, late.id, earlier.id, await newestSeq(ctx.db, earlier.id));
        await drop(ctx, row, late);
        continue;
      }
    }
    // Somebody may have left, or been removed, since it was made.
    await keepPeopleOf(ctx.db, late.id, late.target);
  }
}

const cannotAdd = (id: number, isThere: boolean): string =>
  `Somebody has ${isThere ? "written in" : "deleted"} a channel since import ${id} was written, which adds messages to it. Undo it with \`parley import undo ${id}\`, and run it again.`;

async function addTo(ctx: AppContext, row: ImportRow, late: LateChannel, purposes: readonly string[]): Promise<void> {
  const { id, target } = late;
  const [count, newest] = [await newestSeq(ctx.db, id), await newestMessageOf(ctx.db, id)];
  if (newest !== null) {
    const run = await appendRun(ctx.db, target, { count, at: newest.created_at, now: ctx.clock.now() });
    await trimPins(ctx.db, id, target);
    await joinThreads(ctx.db, { from: id, to: target, offset: run.first_seq - 1 });
    await moveAll(ctx, id, target, run.first_seq - 1);
    await readByMembers(ctx.db, target);
    await readAllThreads(ctx.db, target);
    await passOver(ctx.db, purposes, [target]);
    await insertExtension(ctx.db, { import_id: row.id, channel_id: target, ...run });
  }
  await drop(ctx, row, late);
}

async function moveAll(ctx: AppContext, from: number, to: number, offset: number): Promise<void> {
  await moveHistory(ctx.db, { from, to, offset });
  await moveToChannel(ctx.db, from, to);
  await moveFollows(ctx.db, from, to);
}

async function drop(ctx: AppContext, { source }: ImportRow, { id, sourceId }: LateChannel): Promise<void> {
  await deleteItems(ctx.db, source, "channel", [sourceId]);
  await deleteHidden(ctx.db, [id]);
}
