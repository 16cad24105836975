import type { ReactionChange } from "@parley/protocol/inbox";
import type { AppContext } from "../../context.ts";
import type { Db } from "../../db/db.ts";
import type { Span } from "../../event-log/span.ts";
import type { ItemRow, NewItem } from "../../messages/inbox/inbox-rows.ts";
import { agentMessages, reactedIn } from "./kind-spans.store.ts";
import { mayRead, type Scene } from "./scene.ts";

/** What is stored of a reaction: its event, in which the name of an erased account is replaced. */
interface StoredReaction {
  seq: number;
}

interface ReactionData {
  username: string | null;
  reaction: string;
  added: boolean;
}

/** Returns the items of reactions of people to messages of agents. */
export async function reactionItems(ctx: AppContext, scene: Scene, spans: readonly Span[]): Promise<NewItem[]> {
  if (scene.askers.wanting("reaction").length === 0) return [];
  const reacted = await reactedIn(ctx.db, spans);
  const authors = await agentMessages(ctx.db, [...new Set(reacted.map(({ message_id }) => message_id))]);
  const now = ctx.clock.now();
  return reacted.flatMap(({ channel_id, seq, message_id, data }) => {
    const author = authors.get(message_id);
    const asker = author && scene.askers.find(author.agent_id, author.sender_name, "reaction");
    const { username } = JSON.parse(data) as ReactionData;
    if (asker === undefined || username === null || !mayRead(scene, channel_id, asker)) return [];
    return [
      {
        agent_id: asker.agentId,
        agent_name: asker.agentName,
        channel_id,
        message_id,
        kind: "reaction" as const,
        notice: JSON.stringify({ seq } satisfies StoredReaction),
        created_at: now,
      },
    ];
  });
}

/** Returns what items `reaction` report, by their ids. Those whose event is gone are missing. */
export async function reactionsOf(
  db: Db,
  items: readonly Pick<ItemRow, "id" | "kind" | "channel_id" | "notice">[],
): Promise<Map<number, ReactionChange>> {
  const found = new Map<number, ReactionChange>();
  const own = items.filter(({ kind }) => kind === "reaction");
  const seqOf = ({ notice }: Pick<ItemRow, "notice">) => (JSON.parse(notice ?? "{}") as StoredReaction).seq;
  for (const [channelId, all] of Map.groupBy(own, ({ channel_id }) => channel_id)) {
    const rows = await db
      .selectFrom("channel_events")
      .select(["seq", "data"])
      .where("channel_id", "=", channelId)
      .where("seq", "in", all.map(seqOf))
      .where("event", "=", "reaction:update")
      .execute();
    const bySeq = new Map(rows.map(({ seq, data }) => [seq, data]));
    for (const item of all) {
      const data = bySeq.get(seqOf(item));
      if (data === undefined) continue;
      const { username, reaction, added } = JSON.parse(data) as ReactionData;
      found.set(item.id, { username, reaction, added });
    }
  }
  return found;
}
