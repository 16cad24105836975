import type { InboxItem } from "@parley/protocol/inbox";
import { PENDING_MENTIONS_MAX } from "@parley/protocol/limits";
import { LRUCache } from "lru-cache";
import { perServer } from "../../context.ts";
import { placesInScope } from "../../http/key-scopes.ts";
import { type Method, rest, type TelegramCall } from "../call.ts";
import { beginPolling } from "../pollers.ts";
import { isForDoor } from "../presses.ts";
import { hasItem, newestItem, noteStaleOffset, pendingItems, type Queue } from "../telegram.store.ts";
import { TelegramError } from "../telegram-error.ts";
import { chooseUpdates, DELIVERED } from "../update-kinds.ts";
import { updatesOf } from "../updates.ts";
import { webhookOf } from "../webhook.store.ts";
import { stayOnline } from "./chats.ts";

const LIMIT_MAX = 100;
const TIMEOUT_MAX = 50;
/** A wait of the inbox is at most this long; a longer one is made of several. */
const WAIT_SECONDS = 30;
const ONLINE_EVERY_MS = 60_000;
const CONFLICT = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
const HAS_WEBHOOK =
  "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";

/** The bots that were logged in everywhere not long ago. */
const online = perServer(() => new LRUCache<number, true>({ max: 10_000, ttl: ONLINE_EVERY_MS }));

/** getUpdates: the inbox, of which `offset` confirms a part (protocol §15.3). */
export const getUpdates: Method = async (call) => {
  const { ctx, bot, fields } = call;
  const limit = Math.min(Math.max(fields.integer("limit") ?? LIMIT_MAX, 1), LIMIT_MAX);
  const seconds = Math.min(Math.max(fields.integer("timeout") ?? 0, 0), TIMEOUT_MAX);
  const offset = fields.integer("offset") ?? 0;
  if ((await webhookOf(ctx.db, bot.id)) !== null) throw new TelegramError(409, HAS_WEBHOOK);
  const kinds = await chooseUpdates(call);
  if (!online(ctx).has(bot.id)) {
    await stayOnline(call);
    online(ctx).set(bot.id, true);
  }
  using polling = await beginPolling(ctx, bot.id, call.signal);
  let after = await confirm(call, offset);
  let page = limit;
  const until = ctx.clock.monotonic() + seconds * 1_000;
  for (;;) {
    const left = Math.ceil((until - ctx.clock.monotonic()) / 1_000);
    const wanted = { kinds, after, limit: page, seconds: left };
    const items = await waitForItems({ ...call, signal: polling.signal }, wanted);
    // What does not wait cannot be ended: as a client stops, it confirms by such a call beside the poll that it aborts.
    if (polling.isReplaced && seconds > 0) throw new TelegramError(409, CONFLICT);
    const updates = await updatesOf(ctx, call.caller, items.filter(isForDoor).slice(0, limit));
    const last = items.at(-1);
    if (updates.length > 0 || call.signal.aborted || (last === undefined && left <= 0)) return updates;
    // Nothing of this page is an update: what follows it must not wait.
    if (last !== undefined) [after, page] = [last.item_id, LIMIT_MAX];
  }
};

interface Wanted {
  kinds: readonly InboxItem["kind"][];
  after: number;
  limit: number;
  /** How long to wait if there is nothing; at most 30 s of it are waited. */
  seconds: number;
}

/** Stands after every item: a bot that wants nothing waits for it. */
const NEVER = Number.MAX_SAFE_INTEGER;

async function waitForItems(call: TelegramCall, wanted: Wanted): Promise<InboxItem[]> {
  const { limit, seconds } = wanted;
  const [kinds, after] = wanted.kinds.length === 0 ? [DELIVERED, NEVER] : [wanted.kinds, wanted.after];
  const { items } = await rest(call, "listInbox", {
    query: {
      kinds: kinds.join(","),
      agent_name: call.bot.name,
      limit,
      ...(after > 0 ? { after_item_id: after } : {}),
      wait: Math.min(Math.max(seconds, 0), WAIT_SECONDS),
    },
  });
  return items as InboxItem[];
}

/**
 * Confirms what `offset` says is done: everything below it, or with −n everything but the newest n. Returns the item
 * after which to read. An offset above every item, as of a bot that comes from Telegram, confirms everything once, and
 * then means nothing.
 */
async function confirm(call: TelegramCall, offset: number): Promise<number> {
  const { ctx, bot } = call;
  if (offset === 0) return 0;
  const queue = queueOf(call);
  if (offset < 0) {
    const kept = await pendingItems(ctx.db, queue, null, Math.min(-offset, PENDING_MENTIONS_MAX));
    const oldest = kept.at(-1);
    if (oldest !== undefined && kept.length === -offset) await acknowledge(call, queue, oldest);
    return 0;
  }
  // An offset is one more than an item, as a rule: to find the newest one costs more.
  const isNext = await hasItem(ctx.db, queue, offset - 1);
  const newest = isNext ? offset - 1 : await newestItem(ctx.db, queue);
  if (offset <= newest + 1) {
    await acknowledge(call, queue, offset);
    return offset - 1;
  }
  if (await noteStaleOffset(ctx.db, bot.id, offset)) await acknowledge(call, queue, newest + 1);
  return 0;
}

/** Returns what an offset of the bot confirms, as far as its key reaches: all that the door has, whatever the bot allows. */
export const queueOf = ({ bot, caller }: Pick<TelegramCall, "bot" | "caller">): Queue => ({
  agentId: bot.agentId,
  name: bot.name,
  kinds: DELIVERED,
  places: placesInScope(caller),
});

/** Removes all items below an id from the inbox. */
export async function acknowledge(call: TelegramCall, queue: Queue, below: number): Promise<void> {
  for (;;) {
    const ids = await pendingItems(call.ctx.db, queue, below, PENDING_MENTIONS_MAX);
    if (ids.length === 0) return;
    await rest(call, "ackInbox", { body: { item_ids: ids } });
    if (ids.length < PENDING_MENTIONS_MAX) return;
  }
}
