import { makeBeside } from "../../channels/hidden/hidden-channels.ts";
import type { AppContext } from "../../context.ts";
import type { Db } from "../../db/db.ts";
import { transact } from "../../db/transact.ts";
import { newestSeq } from "../../event-log/history.ts";
import { newestMessageOf } from "../../event-log/moved-history.ts";
import { type ImportCounts, noCounts } from "../counts.ts";
import type { Block } from "../imports.store.ts";
import { insertItems } from "../map.store.ts";
import type { StagedMessage } from "../stage.ts";
import type { Directory, Place } from "../write/directory.ts";
import { blocksOfSource, type LateKind, type LateMode, lateChannels, wordOf } from "./late.store.ts";

export interface LateOptions {
  importId: number;
  source: string;
  mode: LateMode;
  /** Counts the channels that are made, in their transaction. */
  count(ctx: AppContext, counts: ImportCounts): Promise<void>;
}

/** Returns what the map calls such a channel. */
export const lateSourceId = (channelId: string, kind: LateKind, importId: number): string =>
  `${channelId} (${kind} ${importId})`;

/**
 * Notes of each channel that an earlier import has made from which time on messages may be added. Channels that this
 * import made before it was killed stay as they are.
 */
export async function findLatePlaces(
  ctx: AppContext,
  directory: Directory,
  { importId, source }: LateOptions,
): Promise<void> {
  const made = new Map((await lateChannels(ctx.db, importId)).map((late) => [late.sourceId, late]));
  const blocks = await blocksOfSource(ctx.db, source);
  for (const [channelId, channel] of directory.channels) {
    if (!channel.isKnown) continue;
    const placeOf = async (kind: LateKind): Promise<Place | null> => {
      const late = made.get(lateSourceId(channelId, kind, importId));
      return late === undefined ? null : { ...channel, id: late.id, seq: await newestSeq(ctx.db, late.id) };
    };
    const tail = await placeOf("tail");
    const since = await timeOfLast(ctx.db, channel.id, blocks, tail !== null);
    directory.late.set(channelId, { since, tail, earlier: await placeOf("earlier") });
  }
}

/**
 * Returns the time of the channel's last message; infinite, if it is one that people have written. `hasTail`: messages to
 * add are written already, so it is that of the last imported one: the opening decides again whether they can be added.
 */
async function timeOfLast(db: Db, channelId: number, blocks: readonly Block[], hasTail: boolean): Promise<number> {
  const newest = await newestMessageOf(db, channelId);
  if (newest === null) return 0;
  if (isOfBlocks(newest.id, blocks)) return newest.created_at;
  if (!hasTail) return Number.POSITIVE_INFINITY;
  const last = Math.max(...blocks.map(({ last_id }) => last_id));
  return (await newestMessageOf(db, channelId, last))?.created_at ?? 0;
}

/** True if the message is one that an import of these blocks has brought. */
export const isOfBlocks = (id: number, blocks: readonly Block[]): boolean =>
  blocks.some(({ first_id, last_id }) => id >= first_id && id <= last_id);

/** Makes the hidden channels that these messages need. `--late=skip` makes none for those that cannot be added. */
export async function makeLatePlaces(
  ctx: AppContext,
  directory: Directory,
  messages: readonly Pick<StagedMessage, "channelId" | "at">[],
  options: LateOptions,
): Promise<void> {
  for (const { channelId, at } of messages) {
    const places = directory.late.get(channelId);
    const channel = directory.channels.get(channelId);
    if (places === undefined || channel === undefined) continue;
    const kind = at >= places.since ? "tail" : "earlier";
    if (places[kind] !== null || (kind === "earlier" && options.mode === "skip")) continue;
    places[kind] = await makeOne(ctx, channelId, channel, kind, options);
    // The channel is deleted: its messages are left out, and nobody looks again.
    if (places[kind] === null) directory.late.delete(channelId);
  }
}

const makeOne = (
  ctx: AppContext,
  channelId: string,
  channel: Place,
  kind: LateKind,
  { importId: import_id, source, mode, count }: LateOptions,
): Promise<Place | null> =>
  transact(ctx, async (ctx) => {
    const isRandomSlug = channel.kind === "direct" || channel.kind === "group";
    const topic = "Messages that came with a later export.";
    const made = await makeBeside(ctx, channel.id, { ending: "earlier", topic, isRandomSlug });
    if (made === null) return null;
    const content_hash = wordOf({ kind, mode, target: channel.id });
    const source_id = lateSourceId(channelId, kind, import_id);
    await insertItems(ctx.db, [{ source, kind: "channel", source_id, parley_id: made.id, content_hash, import_id }]);
    const counts = noCounts();
    if (kind === "earlier") counts.channels.taken += 1;
    await count(ctx, counts);
    return { ...channel, id: made.id, seq: 0 };
  });
