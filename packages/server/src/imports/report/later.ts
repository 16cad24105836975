import { factsOf } from "../../channels/hidden/hidden-channels.ts";
import type { AppContext } from "../../context.ts";
import { extensionsOf } from "../../event-log/extensions.ts";
import { countMessages, lateChannels } from "../late/late.store.ts";

/** Where the messages of a later export went whose channels were here (protocol §14.7). */
export interface Later {
  /** Messages that follow those of their channels, or will when the import is opened. */
  readonly added: number;
  /** The second channels. */
  readonly earlier: readonly { channel_id: number; channel_slug: string; messages: number }[];
}

/** Returns where an import has put the messages of channels that were here. */
export async function laterOf(ctx: AppContext, importId: number): Promise<Later> {
  const late = await lateChannels(ctx.db, importId);
  const counts = await countMessages(
    ctx.db,
    late.map(({ id }) => id),
  );
  const extended = (await extensionsOf(ctx.db, importId)).reduce((sum, run) => sum + run.last_seq - run.first_seq, 0);
  const earlier: Later["earlier"][number][] = [];
  let added = extended;
  for (const { id, kind } of late) {
    const facts = await factsOf(ctx.db, id);
    const messages = counts.get(id) ?? 0;
    // Once it is open, one that could not be added is a second channel.
    const isShown = facts?.deleted_at === null;
    if (kind === "tail" && !isShown) added += messages;
    else earlier.push({ channel_id: id, channel_slug: facts?.slug ?? "", messages });
  }
  return { added, earlier };
}
