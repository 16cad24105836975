import { AGENT_HOOK_EVENTS, type DeliveriesQuery, TEST_EVENT, type WebhookDelivery } from "@parley/protocol/webhooks";
import { isoTime, isoTimeOrNull } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { clampLimit } from "../../http/pages.ts";
import * as store from "./deliveries.store.ts";
import { auditHook, type HookCaller, manageableHook } from "./hook-rights.ts";
import { lastSeqOf, lockHook, updateHook } from "./hooks.store.ts";

/** Lists a hook's deliveries, newest first. Errors: those of `manageableHook`. */
export async function listDeliveries(
  ctx: AppContext,
  caller: HookCaller,
  hookId: number,
  { status, before, limit }: DeliveriesQuery,
): Promise<{ deliveries: WebhookDelivery[]; has_more: boolean }> {
  await manageableHook(ctx, caller, hookId);
  const size = clampLimit(limit);
  const rows = await store.listDeliveries(ctx.db, hookId, { status, before }, size + 1);
  return { deliveries: rows.slice(0, size).map(deliveryRecord), has_more: rows.length > size };
}

/** Sends a test event, after what waits. Errors: those of `manageableHook`, `webhook_disabled`. */
export async function testHook(ctx: AppContext, caller: HookCaller, hookId: number): Promise<WebhookDelivery> {
  await manageableHook(ctx, caller, hookId);
  return transact(ctx, async (ctx) => {
    const hook = await activeHook(ctx, caller, hookId);
    const of = { webhook_id: hookId, round: hook.round };
    const source = await store.nextTestSource(ctx.db, hookId);
    await store.insertDeliveries(ctx.db, of, [{ event: TEST_EVENT, source }], ctx.clock.now());
    const [row] = await store.listDeliveries(ctx.db, hookId, { status: undefined, before: undefined }, 1);
    if (row === undefined) throw fail("delivery_not_found");
    return deliveryRecord(row);
  });
}

/**
 * Sends an event again, under the same `webhook-id`, with a fresh schedule.
 * Errors: those of `manageableHook`, `webhook_disabled`, `delivery_not_found`.
 */
export async function redeliver(
  ctx: AppContext,
  caller: HookCaller,
  hookId: number,
  deliveryId: number,
): Promise<WebhookDelivery> {
  await manageableHook(ctx, caller, hookId);
  return transact(ctx, async (ctx) => {
    await activeHook(ctx, caller, hookId);
    const before = await store.findDelivery(ctx.db, hookId, deliveryId);
    if (before === undefined) throw fail("delivery_not_found");
    // It goes beside the first tries, as all retries.
    const tries = before.tries === 0 ? 0 : 1;
    const change = { status: "waiting" as const, tries, due_at: ctx.clock.now(), done_at: null };
    const row = await store.updateDelivery(ctx.db, deliveryId, change);
    if (row === undefined) throw fail("delivery_not_found");
    return deliveryRecord(row);
  });
}

/**
 * Sets a channel's hook back to a place in the log: the events after it are delivered again, as new deliveries. What
 * waits of them is dropped. Errors: those of `manageableHook`, `webhook_disabled`, `invalid_request`.
 */
export async function replay(ctx: AppContext, caller: HookCaller, hookId: number, afterSeq: number): Promise<void> {
  const { channel_id: channelId } = await manageableHook(ctx, caller, hookId);
  if (channelId === null) {
    const details = [{ path: "", message: "an agent's webhook has no log to replay: read the inbox" }];
    throw fail("invalid_request", { details });
  }
  await transact(ctx, async (ctx) => {
    const hook = await activeHook(ctx, caller, hookId);
    const lastSeq = await lastSeqOf(ctx.db, channelId);
    if (lastSeq === null) throw fail("channel_not_found");
    // A place that the hook has not reached would pass over what is between.
    if (afterSeq >= hook.position) return;
    await store.deleteWaitingAfter(ctx.db, hookId, afterSeq);
    await updateHook(ctx.db, hookId, { position: afterSeq, round: hook.round + 1 });
  });
}

/** Locks a hook that is not disabled, for an act that is audited. Errors: `webhook_not_found`, `webhook_disabled`. */
async function activeHook(ctx: AppContext, caller: HookCaller, hookId: number) {
  const hook = await lockHook(ctx.db, hookId);
  if (hook === undefined) throw fail("webhook_not_found");
  if (hook.status === "disabled") throw fail("webhook_disabled");
  await auditHook(ctx, caller, hook, "update");
  return hook;
}

function deliveryRecord(row: store.DeliveryRow): WebhookDelivery {
  const isTest = row.event === TEST_EVENT;
  const isItem = (AGENT_HOOK_EVENTS as readonly string[]).includes(row.event);
  return {
    delivery_id: row.id,
    event: row.event,
    seq: isItem || isTest ? null : row.source,
    item_id: isItem ? row.source : null,
    status: row.status,
    tries: row.tries,
    next_try_at: row.status === "waiting" ? isoTimeOrNull(row.due_at) : null,
    result: row.result,
    response_status: row.response_status,
    response_body: row.response_body,
    duration_ms: row.duration_ms,
    created_at: isoTime(row.created_at),
    done_at: isoTimeOrNull(row.done_at),
  };
}
