import { hookEventOf } from "@parley/protocol/webhooks";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { loadEvents } from "../../event-log/events.ts";
import type { ItemRow } from "../../messages/inbox/inbox-rows.ts";
import { countWaiting, insertDeliveries, type NewDelivery } from "./deliveries.store.ts";
import * as store from "./hooks.store.ts";

/** Deliveries that may wait for one hook. Beyond it the hook keeps its place in the log. */
export const BACKLOG_MAX = 10_000;
const PAGE = 200;

/**
 * Makes the deliveries of the next events of a hook, in the transaction that advances its place, so that each event has
 * exactly one of each round, whatever crashes. Two nodes at once wait for each other. Returns what is left to read: `full` if as much waits as may.
 */
export function makeDeliveries(
  ctx: AppContext,
  hookId: number,
  backlogMax = BACKLOG_MAX,
): Promise<"more" | "none" | "full"> {
  return transact(ctx, async (ctx) => {
    const hook = await store.lockHook(ctx.db, hookId);
    if (hook === undefined || hook.status === "disabled") return "none";
    const room = Math.min(PAGE, backlogMax - (await countWaiting(ctx.db, hookId)));
    if (room <= 0) return "full";
    const page = hook.channel_id === null ? await ofAgent(ctx, hook, room) : await ofChannel(ctx, hook, room);
    if (page.position === hook.position) return "none";
    const wanted = new Set(JSON.parse(hook.events) as string[]);
    const events = page.events.filter(({ event }) => wanted.has(event));
    await insertDeliveries(ctx.db, { webhook_id: hook.id, round: hook.round }, events, ctx.clock.now());
    await store.updateHook(ctx.db, hook.id, { position: page.position });
    return page.isFull ? "more" : "none";
  });
}

interface Page {
  events: NewDelivery[];
  position: number;
  isFull: boolean;
}

async function ofChannel(ctx: AppContext, hook: store.HookRow, limit: number): Promise<Page> {
  const channelId = hook.channel_id ?? 0;
  // Read first: messages and events are read one after the other, and what is committed in between belongs to the next
  // page, or it could be passed over.
  const last = await store.lastSeqOf(ctx.db, channelId);
  if (last === null || last <= hook.position) return { events: [], position: hook.position, isFull: false };
  const loaded = await loadEvents(ctx, channelId, hook.position, limit);
  const read = loaded.flatMap(({ event, seq }) =>
    seq === undefined || seq > last ? [] : [{ event: hookEventOf(event), source: seq }],
  );
  const isFull = loaded.length === limit;
  const position = isFull ? (read.at(-1)?.source ?? last) : last;
  return { events: read, position, isFull };
}

async function ofAgent(ctx: AppContext, hook: store.HookRow, limit: number): Promise<Page> {
  const items = await store.itemsAfter(ctx.db, hook.agent_id ?? 0, hook.position, limit);
  return {
    events: items.flatMap((item) => eventsOf(item).map((event) => ({ event, source: item.id }))),
    position: items.at(-1)?.id ?? hook.position,
    isFull: items.length === limit,
  };
}

/** The events that an item stands for. Notices of pauses and budgets have events of their own beside `inbox.new`. */
function eventsOf({ kind, notice }: ItemRow): string[] {
  if (kind !== "notice") return ["inbox.new"];
  const { type } = JSON.parse(notice ?? "{}") as { type?: string };
  if (type === "paused") return ["inbox.new", "agent.paused"];
  return type === "budget_exhausted" ? ["inbox.new", "budget.exhausted"] : ["inbox.new"];
}
