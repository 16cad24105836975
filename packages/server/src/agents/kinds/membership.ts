import { findChannel } from "../../channels/channel-cache.ts";
import type { AddedAgent, RemovedAgent } from "../../channels/members/removal.ts";
import type { AppContext } from "../../context.ts";
import { beforeCommit } from "../../db/transact.ts";
import { insertItems } from "../../messages/inbox/inbox-rows.ts";
import { noticeFrame, noticeItem, publishItem, type StoredNotice } from "../../messages/inbox/item-frames.ts";
import { askersNow } from "./askers.ts";
import { agentsIn } from "./kind-spans.store.ts";

/** The changes of an agent's place in a channel. */
export type PlaceChange = "added" | "kicked" | "banned" | "deleted";

const TEXTS: Readonly<Record<PlaceChange, (slug: string) => string>> = {
  added: (slug) => `The agent was added to the channel "${slug}".`,
  kicked: (slug) => `The agent was removed from the channel "${slug}".`,
  banned: (slug) => `The agent was banned from the channel "${slug}".`,
  deleted: (slug) => `The channel "${slug}" was deleted.`,
};

interface Changed {
  agentId: number;
  channel: { id: number; slug: string };
  change: PlaceChange;
}

/** Tells an agent that somebody added it. */
export const noteAdded = (ctx: AppContext, { agentId, channel }: AddedAgent): Promise<void> =>
  note(ctx, { agentId, channel, change: "added" });

/** Tells an agent that somebody removed it. */
export const noteRemoved = (ctx: AppContext, { agentId, channel, reason }: RemovedAgent): Promise<void> =>
  note(ctx, { agentId, channel, change: reason });

/** Tells the agents in a channel that it is deleted. */
export async function noteDeletion(ctx: AppContext, channelId: number): Promise<void> {
  const channel = await findChannel(ctx, { id: channelId });
  if (channel === null || (await askersNow(ctx)).isEmpty) return;
  const here = new Set((await agentsIn(ctx.db, [channelId])).map(({ agent_id }) => agent_id));
  for (const agentId of here) await note(ctx, { agentId, channel, change: "deleted" });
}

/** Puts an item `membership` into the inbox of each name of an agent that asked, in the transaction of the change. */
async function note(ctx: AppContext, { agentId, channel, change }: Changed): Promise<void> {
  const names = (await askersNow(ctx)).wanting("membership").filter((asker) => asker.agentId === agentId);
  if (names.length === 0) return;
  const stored: StoredNotice = { type: change, text: TEXTS[change](channel.slug), channel_slug: channel.slug };
  beforeCommit(ctx.db, async () => {
    const rows = names.map(({ agentName }) => ({
      agent_id: agentId,
      agent_name: agentName,
      channel_id: channel.id,
      message_id: 0,
      kind: "membership" as const,
      notice: JSON.stringify(stored),
      created_at: ctx.clock.now(),
    }));
    const ids = await insertItems(ctx.db, rows);
    ctx.afterCommit(() => {
      for (const [at, row] of rows.entries())
        publishItem(ctx.root, agentId, noticeFrame(noticeItem({ ...row, id: ids[at] ?? 0 })));
    });
  });
}
