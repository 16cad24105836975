import type { InboxItem, InboxQuery } from "@parley/protocol/inbox";
import { ackInbox, readInbox } from "../agents/inbox/inbox.service.ts";
import { recheckKey } from "../agents/keys/keys.ts";
import { runOnOne } from "../cluster/duties.ts";
import { type AppContext, perServer } from "../context.ts";
import { AppError } from "../errors.ts";
import type { AgentIdentity } from "../http/identity.ts";
import { type Bot, botOf } from "./bots.ts";
import { performAnswer } from "./door.ts";
import { isForDoor } from "./presses.ts";
import { pendingItems } from "./telegram.store.ts";
import { DELIVERED, kindsOfBot } from "./update-kinds.ts";
import { type Update, updatesOf } from "./updates.ts";
import {
  type BotWebhook,
  claimWebhook,
  releaseWebhook,
  storeWebhook,
  webhookOf,
  webhooksDue,
} from "./webhook.store.ts";
import { ANSWER_MS, telegramOutgoing } from "./webhook-requests.ts";

const EVERY_MS = 500;
/** Longer than a request may take, with its wait for a place. After a crash another node then tries again. */
const CLAIM_MS = ANSWER_MS + 30_000;
const WAIT_MAX_MS = 60_000;
/** Items that are read at once where the oldest is no update. */
const PAGE = 100;
const OK_MIN = 200;
const OK_MAX = 299;

/** The bots to which this node sends. Each gets one update at a time. */
const sending = perServer(() => new Set<number>());

/** Sends updates to bots with a webhook, on one node. */
export function startTelegramWebhooks(ctx: AppContext): void {
  let isClosed = false;
  ctx.onClose(() => {
    isClosed = true;
  });
  runOnOne(ctx, "send updates to bots", EVERY_MS, "sending updates to bots failed", async () => {
    for (const botId of await webhooksDue(ctx.db, ctx.clock.now(), DELIVERED)) {
      if (sending(ctx).has(botId) || isClosed || !(await isAwaited(ctx, botId))) continue;
      sending(ctx).add(botId);
      void sendAll(ctx, botId, () => isClosed)
        .catch((err: unknown) => ctx.log.warn({ err, botId }, "sending updates to a bot failed"))
        .finally(() => sending(ctx).delete(botId));
    }
  });
}

/** True if something waits for a bot that it wants. */
async function isAwaited(ctx: AppContext, botId: number): Promise<boolean> {
  const bot = await botOf(ctx, botId);
  if (bot === null) return false;
  const queue = { agentId: bot.agentId, name: bot.name, kinds: await kindsOfBot(ctx, bot), places: null };
  return (await pendingItems(ctx.db, queue, null, 1)).length > 0;
}

/** Sends what waits for a bot, in order, until nothing waits or a try fails. */
async function sendAll(ctx: AppContext, botId: number, isClosed: () => boolean): Promise<void> {
  for (;;) {
    const now = ctx.clock.now();
    if (isClosed() || !(await claimWebhook(ctx.db, botId, now, now + CLAIM_MS))) return;
    const [bot, webhook] = [await botOf(ctx, botId), await webhookOf(ctx.db, botId)];
    if (bot === null || webhook === null) return;
    const error = await sendNext(ctx, bot, webhook);
    if (isClosed()) return;
    if (error === "ended") return storeWebhook(ctx.db, botId, null);
    const waitMs = Math.min(1_000 * 2 ** webhook.failures, WAIT_MAX_MS);
    const at = ctx.clock.now();
    await releaseWebhook(ctx.db, botId, error === null || error === "empty" ? null : { error, at, dueAt: at + waitMs });
    if (error !== null) return;
  }
}

/** Sends the oldest update. Returns null if it was confirmed, `empty` if there is none, else what went wrong. */
async function sendNext(ctx: AppContext, bot: Bot, webhook: BotWebhook): Promise<string | null> {
  const caller: AgentIdentity = { kind: "agent", keyId: webhook.key, agentId: bot.agentId, key: `a${bot.agentId}` };
  try {
    await recheckKey(ctx, caller);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code === "agent_paused" ? "The agent is paused" : "ended";
  }
  const kinds = await kindsOfBot(ctx, bot);
  if (kinds.length === 0) return "empty";
  const item = await oldestItem(ctx, caller, { kinds: kinds.join(","), agent_name: bot.name });
  if (item === undefined) return "empty";
  for (const update of await updatesOf(ctx, caller, [item])) {
    const error = await sendUpdate(ctx, { bot, caller, webhook }, update);
    if (error !== null) return error;
  }
  await ackInbox(ctx, caller, { item_ids: [item.item_id] });
  return null;
}

/** Returns the oldest item that becomes an update. */
async function oldestItem(ctx: AppContext, caller: AgentIdentity, query: InboxQuery): Promise<InboxItem | undefined> {
  for (let after = 0; ; ) {
    const page = { ...query, after_item_id: after, limit: after === 0 ? 1 : PAGE };
    const { items } = await readInbox(ctx, caller, page, new AbortController().signal);
    const found = items.find(isForDoor);
    const last = items.at(-1);
    if (found !== undefined || last === undefined) return found;
    after = last.item_id;
  }
}

interface Receiver {
  bot: Bot;
  caller: AgentIdentity;
  webhook: BotWebhook;
}

async function sendUpdate(ctx: AppContext, { bot, caller, webhook }: Receiver, update: Update): Promise<string | null> {
  const headers = {
    "content-type": "application/json",
    ...(webhook.secret === null ? {} : { "x-telegram-bot-api-secret-token": webhook.secret }),
  };
  const body = new TextEncoder().encode(JSON.stringify(update));
  const purpose = { kind: "webhook", owner: caller.key } as const;
  const result = await telegramOutgoing(ctx).send(webhook.url, { method: "POST", headers, body }, purpose);
  if (result.outcome !== "answered") return `Connection failed: ${result.outcome.replaceAll("_", " ")}`;
  if (result.status < OK_MIN || result.status > OK_MAX) return `Wrong response from the webhook: ${result.status}`;
  await performAnswer(ctx, { bot, caller }, result.body);
  return null;
}
