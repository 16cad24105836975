import { type AckInboxBody, type InboxItem, InboxKind, type InboxQuery } from "@parley/protocol/inbox";
import { readableChannel } from "../../channels/access/access.ts";
import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { hasScope, placesInScope } from "../../http/key-scopes.ts";
import { clampLimit } from "../../http/pages.ts";
import {
  countItems,
  countMatching,
  findItems,
  hasMessage,
  type ItemKind,
  removeItems,
} from "../../messages/inbox/inbox-rows.ts";
import { agentTopic } from "../../realtime/topics.ts";
import { poll } from "../events/long-poll.ts";
import { ownName, readableAmong } from "../mentions/mentions.service.ts";
import { isCrowded, pendingWithinLimit, trimInbox } from "./inbox-limits.ts";
import { itemRecords, renderItems } from "./item-records.ts";
import { beginReading } from "./readers.ts";

export interface InboxPage {
  items: InboxItem[];
  count: number;
  remaining: number;
  last_item_id: number;
  reader?: string;
  rendered?: string;
  omitted?: number;
}

/**
 * Returns what waits for the agent, oldest first, and removes nothing (protocol §5). Waits for an item after
 * `after_item_id` if there is none.
 * Errors: those of `readableChannel` for a named channel, `invalid_agent_name`, `inbox_taken`.
 */
export async function readInbox(
  ctx: AppContext,
  caller: AgentIdentity,
  query: InboxQuery,
  signal: AbortSignal,
): Promise<InboxPage> {
  const wanted: Wanted = {
    only: query.channel_slug === undefined ? null : await readableChannel(ctx, caller, { slug: query.channel_slug }),
    agentName: query.agent_name === undefined ? null : await ownName(ctx, caller.agentId, query.agent_name),
    kinds: kindsFor(caller, query.kinds === undefined ? null : (query.kinds.split(",") as ItemKind[])),
    after: query.after_item_id ?? 0,
    limit: clampLimit(query.limit),
  };
  using reading = query.reader === undefined ? null : await beginReading(ctx, caller.agentId, query.reader, signal);
  const seconds = query.wait ?? 0;
  const waiting = { caller, topic: agentTopic(caller.agentId), seconds, signal: reading?.signal ?? signal };
  const page = await poll(ctx, waiting, () => findPage(ctx, caller, wanted));
  if (reading?.isReplaced === true) throw fail("inbox_taken");
  const found = page ?? { items: [], count: 0, remaining: 0, last_item_id: wanted.after };
  const answer = reading === null ? found : { ...found, reader: reading.reader };
  return query.format === "context" ? { ...answer, ...renderItems(ctx, answer.items, query.max_chars) } : answer;
}

/** Leaves out the kind that a key may not read: every message of a channel is what the scope `read` is for. */
function kindsFor(caller: AgentIdentity, kinds: readonly ItemKind[] | null): readonly ItemKind[] | null {
  if (hasScope(caller, "read")) return kinds;
  return (kinds ?? InboxKind.enum).filter((kind) => kind !== "message");
}

interface Wanted {
  only: Channel | null;
  agentName: string | null;
  kinds: readonly ItemKind[] | null;
  after: number;
  limit: number;
}

/** Returns null if there is nothing. Items of channels that the agent may no longer read stay, but are not shown. */
async function findPage(
  ctx: AppContext,
  caller: AgentIdentity,
  { only, agentName, kinds, after, limit }: Wanted,
): Promise<InboxPage | null> {
  const { agentId } = caller;
  if (kinds?.length === 0) return null;
  let counts = await countItems(ctx.db, agentId);
  if (isCrowded(counts)) {
    await trimInbox(ctx, agentId);
    counts = await countItems(ctx.db, agentId);
  }
  const withMessage = counts.filter(hasMessage);
  const channels = await readableAmong(ctx, caller, withMessage, only);
  const channelIds = [...channels.keys()];
  const filter = {
    agentId,
    channelIds,
    channelId: only?.id ?? null,
    agentName,
    kinds,
    after,
    noticesOf: placesInScope(caller),
  };
  let last = after;
  let items: InboxItem[] = [];
  // A page may have nothing to show, because its messages were purged: what follows it must not wait.
  for (let isMore = true; isMore && items.length === 0; ) {
    const rows = await findItems(ctx.db, { ...filter, after: last }, limit);
    items = await itemRecords(ctx, caller, rows, channels);
    last = rows.at(-1)?.id ?? last;
    isMore = rows.length === limit;
  }
  if (items.length === 0) return null;
  const remaining = await countMatching(ctx.db, { ...filter, after: last });
  return { items, count: items.length, remaining, last_item_id: last };
}

/**
 * Removes items, of all kinds. Idempotent: items already removed do not count. A mention is also gone from the mentions.
 * Errors: `invalid_request`.
 */
export async function ackInbox(
  ctx: AppContext,
  caller: AgentIdentity,
  { item_ids: ids, up_to_item_id: upTo }: AckInboxBody,
): Promise<{ acknowledged: number; remaining: number }> {
  if ((ids === undefined) === (upTo === undefined)) {
    const details = [{ path: "", message: "send either item_ids or up_to_item_id" }];
    throw fail("invalid_request", { details });
  }
  const which = ids !== undefined ? { ids } : { upTo: upTo ?? 0 };
  const places = placesInScope(caller);
  const removed = await removeItems(ctx.db, caller.agentId, which, { now: ctx.clock.now(), kind: null, places });
  return { acknowledged: removed.length, remaining: await pendingWithinLimit(ctx, caller.agentId, null, places) };
}
