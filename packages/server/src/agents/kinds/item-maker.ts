import type { AppContext } from "../../context.ts";
import { type Span, seqsIn } from "../../event-log/span.ts";
import { deleteItems, deleteItemsOf, type NewItem } from "../../messages/inbox/inbox-rows.ts";
import type { Asker } from "./askers.ts";
import { commandTargets } from "./commands.ts";
import { editItems } from "./edits.ts";
import * as spansOf from "./kind-spans.store.ts";
import { addItems } from "./publish-items.ts";
import { reactionItems } from "./reactions.ts";
import { mayRead, type Scene, sceneOf } from "./scene.ts";

/** The name of the consumer's cursors. */
export const PURPOSE = "inbox_kinds";
/** Items that one transaction should make at most: on SQLite it holds the thread. */
const ITEMS_MAX = 500;

/**
 * Makes the items of what happened in these spans for the agents that asked, in the transaction that advances the
 * consumer's cursors.
 */
export async function makeItems(ctx: AppContext, spans: readonly Span[]): Promise<void> {
  const scene = await sceneOf(ctx, spans);
  if (scene === null) return;
  const living = spans.filter(({ channelId }) => scene.channels.has(channelId));
  // A message may have been deleted just before an item of it was made.
  const deleted = await spansOf.deletedIn(ctx.db, living);
  for (let from = 0; from < deleted.length; from += ITEMS_MAX)
    await deleteItemsOf(ctx.db, deleted.slice(from, from + ITEMS_MAX));
  const said = await itemsOfSaid(ctx, scene, living);
  const { items: edits, replaced } = await editItems(ctx, scene, living);
  await deleteItems(ctx.db, replaced);
  await addItems(ctx, scene.channels, [...said, ...edits, ...(await reactionItems(ctx, scene, living))]);
}

/** True if the items of the spans are few enough for one transaction. */
export async function fits(ctx: AppContext, spans: readonly Span[]): Promise<boolean> {
  const scene = await sceneOf(ctx, spans);
  if (scene === null) return true;
  const ofMessages = spans.reduce((sum, span) => sum + seqsIn([span]) * listenersIn(scene, span.channelId).length, 0);
  if (ofMessages > ITEMS_MAX) return false;
  // A burst of other events is one span, however long.
  return scene.askers.wanting("reaction").length === 0 || (await spansOf.countReacted(ctx.db, spans)) <= ITEMS_MAX;
}

/** Returns who wants every message of a channel. */
function listenersIn(scene: Scene, channelId: number): Asker[] {
  if (scene.channels.get(channelId)?.direct !== null) return [];
  return scene.askers.wanting("message").filter((asker) => scene.places.has(channelId, asker));
}

/** Returns the items of new messages, one for each message and name. A message with an item makes no other. */
async function itemsOfSaid(ctx: AppContext, scene: Scene, spans: readonly Span[]): Promise<NewItem[]> {
  const rooms = spans.filter(({ channelId }) => scene.channels.get(channelId)?.direct === null);
  const listeners = new Map(rooms.map(({ channelId }) => [channelId, listenersIn(scene, channelId)]));
  const isHeard = ({ channelId }: Span) => (listeners.get(channelId) ?? []).length > 0;
  const said = [
    ...(await spansOf.everyMessage(ctx.db, rooms.filter(isHeard))),
    ...(await spansOf.answersAndCommands(
      ctx.db,
      rooms.filter((span) => !isHeard(span)),
    )),
  ].toSorted((a, b) => a.id - b.id);
  const answered = said.flatMap(({ reply_to_id, thread_root_id }) => [reply_to_id ?? [], thread_root_id ?? []].flat());
  const authors = await spansOf.agentMessages(ctx.db, [...new Set(answered)]);
  const now = ctx.clock.now();
  const items: NewItem[] = [];
  for (const row of said) {
    const found = new Map<Asker, NonNullable<NewItem["kind"]>>();
    for (const asker of listeners.get(row.channel_id) ?? []) found.set(asker, "message");
    for (const asker of await commandTargets(ctx, scene, row)) found.set(asker, "command");
    for (const id of [row.thread_root_id, row.reply_to_id]) {
      const author = authors.get(id ?? 0);
      const asker = author && scene.askers.find(author.agent_id, author.sender_name, "reply");
      if (asker !== undefined) found.set(asker, "reply");
    }
    for (const [asker, kind] of found) {
      if (asker.agentId === row.agent_id || !mayRead(scene, row.channel_id, asker)) continue;
      items.push({
        agent_id: asker.agentId,
        agent_name: asker.agentName,
        channel_id: row.channel_id,
        message_id: row.id,
        kind,
        created_at: now,
      });
    }
  }
  return withoutExisting(ctx, items);
}

async function withoutExisting(ctx: AppContext, items: NewItem[]): Promise<NewItem[]> {
  if (items.length === 0) return items;
  const keyOf = (item: Pick<NewItem, "agent_id" | "agent_name" | "message_id">) =>
    `${item.message_id} ${item.agent_id} ${item.agent_name}`;
  const ids = new Set(items.map(({ message_id }) => message_id));
  const known = new Set((await spansOf.itemsOfMessages(ctx.db, [...ids])).map(keyOf));
  return items.filter((item) => !known.has(keyOf(item)));
}
