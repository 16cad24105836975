import type { Db } from "../../db/db.ts";
import { isItem } from "../../db/statements/item-kind.ts";

/** `tail`: messages that follow those of a channel; `earlier`: older ones, or those for a channel that people use. */
export type LateKind = "tail" | "earlier";
/** The fate of messages that cannot be added to a channel (`--late`). */
export type LateMode = "channel" | "skip";

/** A hidden channel for messages of a channel that an earlier import has made. */
export interface LateChannel {
  /** Of the hidden channel. */
  id: number;
  /** Its id in the map, which no format has. */
  sourceId: string;
  kind: LateKind;
  mode: LateMode;
  /** The channel to which its messages belong. */
  target: number;
}

/** Returns what the map says of such a channel. */
export const wordOf = ({ kind, mode, target }: Pick<LateChannel, "kind" | "mode" | "target">): string =>
  `${kind} ${mode} ${target}`;

const WORD = /^(tail|earlier) (channel|skip) (\d+)$/;

/** Returns the hidden channels that an import has made for messages of known ones; `earlier` ones last. */
export async function lateChannels(db: Db, importId: number): Promise<LateChannel[]> {
  const rows = await db
    .selectFrom("import_items")
    .select(["source_id", "parley_id", "content_hash"])
    .where("import_id", "=", importId)
    .where(isItem("channel"))
    .orderBy("parley_id")
    .execute();
  const found = rows.flatMap(({ source_id, parley_id, content_hash }) => {
    const [, kind, mode, target] = WORD.exec(content_hash ?? "") ?? [];
    if (target === undefined) return [];
    return [
      {
        id: parley_id,
        sourceId: source_id,
        kind: kind as LateKind,
        mode: mode as LateMode,
        target: Number(target),
      },
    ];
  });
  return found.sort((one, other) => Number(one.kind === "earlier") - Number(other.kind === "earlier"));
}

/** Returns the blocks of ids of all imports of a source. */
export const blocksOfSource = (db: Db, source: string): Promise<{ first_id: number; last_id: number }[]> =>
  db
    .selectFrom("import_blocks")
    .innerJoin("imports", "imports.id", "import_blocks.import_id")
    .select(["first_id", "last_id"])
    .where("imports.source", "=", source)
    .execute();

/** Counts the messages of channels, by their ids. */
export async function countMessages(db: Db, channelIds: readonly number[]): Promise<Map<number, number>> {
  if (channelIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("messages")
    .select((eb) => ["channel_id", eb.fn.countAll<number | string>().as("n")])
    .where("channel_id", "in", channelIds)
    .groupBy("channel_id")
    .execute();
  return new Map(rows.map(({ channel_id, n }) => [channel_id, Number(n)]));
}
