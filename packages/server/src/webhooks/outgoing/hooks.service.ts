import {
  AGENT_HOOK_EVENTS,
  AGENT_WEBHOOKS_MAX,
  CHANNEL_HOOK_EVENTS,
  CHANNEL_WEBHOOKS_MAX,
  type CreateWebhookBody,
  type RotateWebhookBody,
  type UpdateWebhookBody,
  type Webhook,
  type WebhooksQuery,
} from "@parley/protocol/webhooks";
import { notifyOwner } from "../../accounts/security-notices/security-notices.ts";
import { findAgent, lockAgent } from "../../agents/agent-control.ts";
import { agentNames } from "../../agents/speaker.ts";
import { isoTime, isoTimeOrNull } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { lockChannel } from "../../event-log/events.ts";
import { decide } from "../../http/acts/act.ts";
import { slowly } from "../../http/acts/slow.ts";
import { outgoing } from "../../outgoing/outgoing.ts";
import { countWaiting } from "./deliveries.store.ts";
import { assertMayOwn, auditHook, channelIn, type HookCaller, manageableHook, ownerOf } from "./hook-rights.ts";
import * as store from "./hooks.store.ts";
import { newSecret } from "./sign.ts";

/**
 * Checks a webhook before `createHook` stores it, outside the transaction, because it looks the address up.
 * Errors: those of `assertMayOwn`, `invalid_request`, `unknown_event`, `invalid_url`.
 */
export async function checkNewHook(ctx: AppContext, caller: HookCaller, body: CreateWebhookBody): Promise<void> {
  const owner = ownerIn(caller, body);
  await assertMayOwn(ctx, caller, owner);
  checkEvents(owner, body.events);
  const purpose = { kind: "webhook" as const, owner: caller.key };
  await slowly(ctx, "dns", () => outgoing(ctx).check(body.url, purpose));
}

/**
 * Creates a webhook that `checkNewHook` has accepted and returns it with its secret, which nobody can read again. It
 * gets what happens from now on. Errors: those of `assertMayOwn`, `webhook_limit_reached`.
 */
export async function createHook(
  ctx: AppContext,
  caller: HookCaller,
  body: CreateWebhookBody,
): Promise<{ webhook: Webhook; secret: string }> {
  const owner = ownerIn(caller, body);
  await decide(ctx, caller, (ctx, caller) => assertMayOwn(ctx, caller, owner), channelIn(owner));
  const by = await makerOf(ctx, caller);
  const secret = secretOf(ctx);
  return transact(ctx, async (ctx) => {
    await lockOwner(ctx, owner);
    // Again: the right may have ended while the address was looked up.
    await assertMayOwn(ctx, caller, owner);
    const max = "channelId" in owner ? CHANNEL_WEBHOOKS_MAX : AGENT_WEBHOOKS_MAX;
    if ((await store.hooksOf(ctx.db, owner)).length >= max) throw fail("webhook_limit_reached");
    const row = await store.insertHook(ctx.db, {
      channel_id: "channelId" in owner ? owner.channelId : null,
      agent_id: "agentId" in owner ? owner.agentId : null,
      url: body.url,
      events: JSON.stringify(body.events),
      description: body.description ?? null,
      secret,
      old_secret: null,
      old_secret_until: null,
      status: "active",
      disabled_reason: null,
      position: await placeNow(ctx, owner),
      ...by,
      created_at: ctx.clock.now(),
      last_success_at: null,
      last_failure_at: null,
      failing_since: null,
    });
    await note(ctx, caller, row, "create");
    return { webhook: await hookRecord(ctx, row), secret };
  });
}

/** Lists the hooks of a channel or an agent; those of the calling agent if neither is named. Errors: as `createHook`. */
export async function listHooks(ctx: AppContext, caller: HookCaller, query: WebhooksQuery): Promise<Webhook[]> {
  const owner = ownerIn(caller, query);
  await assertMayOwn(ctx, caller, owner);
  const records: Webhook[] = [];
  for (const row of await store.hooksOf(ctx.db, owner)) records.push(await hookRecord(ctx, row));
  return records;
}

/** Errors: those of `manageableHook`. */
export const readHook = async (ctx: AppContext, caller: HookCaller, id: number): Promise<Webhook> =>
  hookRecord(ctx, await manageableHook(ctx, caller, id));

/**
 * Changes a hook. To make it active again takes it over: from then on the caller's rights decide whether it may send.
 * Errors: those of `manageableHook`, `no_fields`, `unknown_event`, `invalid_url`.
 */
export async function updateHook(
  ctx: AppContext,
  caller: HookCaller,
  id: number,
  { url, events, description, status }: UpdateWebhookBody,
): Promise<Webhook> {
  const hook = await manageableHook(ctx, caller, id);
  if ([url, events, description, status].every((field) => field === undefined)) throw fail("no_fields");
  if (events !== undefined) checkEvents(ownerOf(hook), events);
  const purpose = { kind: "webhook" as const, owner: caller.key };
  if (url !== undefined) await slowly(ctx, "dns", () => outgoing(ctx).check(url, purpose));
  const by = await makerOf(ctx, caller);
  return transact(ctx, async (ctx) => {
    const before = await store.lockHook(ctx.db, id);
    if (before === undefined) throw fail("webhook_not_found");
    // The caller who names a new address becomes responsible for what is sent there.
    const isTaken = status === "active" || url !== undefined;
    const row = await store.updateHook(ctx.db, id, {
      ...(url === undefined ? {} : { url }),
      ...(events === undefined ? {} : { events: JSON.stringify(events) }),
      ...(description === undefined ? {} : { description }),
      ...(status === "disabled" ? { status, disabled_reason: "by_user" as const } : {}),
      ...(status === "active" && before.status === "disabled"
        ? { status, disabled_reason: null, failing_since: null }
        : {}),
      ...(isTaken ? by : {}),
    });
    if (row === undefined) throw fail("webhook_not_found");
    await note(ctx, caller, row, "update");
    return hookRecord(ctx, row);
  });
}

/** Errors: those of `manageableHook`. */
export async function deleteHook(ctx: AppContext, caller: HookCaller, id: number): Promise<void> {
  const hook = await manageableHook(ctx, caller, id);
  await transact(ctx, async (ctx) => {
    await store.deleteHook(ctx.db, id);
    await note(ctx, caller, hook, "delete");
  });
}

/** Replaces the secret; the old one signs, too, for the time of grace. Errors: those of `manageableHook`. */
export async function rotateSecret(
  ctx: AppContext,
  caller: HookCaller,
  id: number,
  { grace_seconds = 0 }: RotateWebhookBody,
): Promise<{ webhook: Webhook; secret: string }> {
  await manageableHook(ctx, caller, id);
  const secret = secretOf(ctx);
  return transact(ctx, async (ctx) => {
    const before = await store.lockHook(ctx.db, id);
    if (before === undefined) throw fail("webhook_not_found");
    const old =
      grace_seconds === 0
        ? { old_secret: null, old_secret_until: null }
        : { old_secret: before.secret, old_secret_until: ctx.clock.now() + grace_seconds * 1_000 };
    const row = await store.updateHook(ctx.db, id, { secret, ...old });
    if (row === undefined) throw fail("webhook_not_found");
    await note(ctx, caller, row, "rotate");
    return { webhook: await hookRecord(ctx, row), secret };
  });
}

/** Stops a hook and tells who made it. Call it inside `transact`. */
export async function disableHook(
  ctx: AppContext,
  hook: store.HookRow,
  reason: "gone" | "failing" | "maker_lost_rights",
): Promise<void> {
  await store.updateHook(ctx.db, hook.id, { status: "disabled", disabled_reason: reason });
  const userId = hook.created_by_user ?? (await verifiedOwner(ctx, hook.agent_id));
  if (userId === null) return;
  const details = { webhook_id: hook.id, channel_id: hook.channel_id, agent_id: hook.agent_id, reason };
  await notifyOwner(ctx, { userId, kind: "webhook_disabled", by: "self", details });
}

async function verifiedOwner(ctx: AppContext, agentId: number | null): Promise<number | null> {
  const agent = agentId === null ? null : await findAgent(ctx, agentId);
  return agent?.owner_verified === 1 ? agent.owner_user_id : null;
}

function ownerIn(caller: HookCaller, { channel_id, agent_id }: WebhooksQuery): store.HookOwner {
  if (channel_id !== undefined && agent_id === undefined) return { channelId: channel_id };
  if (channel_id === undefined && agent_id !== undefined) return { agentId: agent_id };
  if (channel_id === undefined && caller.kind === "agent") return { agentId: caller.agentId };
  throw fail("invalid_request", { details: [{ path: "", message: "name either channel_id or agent_id" }] });
}

function checkEvents(owner: store.HookOwner, events: readonly string[]): void {
  const known: readonly string[] = "channelId" in owner ? CHANNEL_HOOK_EVENTS : AGENT_HOOK_EVENTS;
  if (events.some((event) => !known.includes(event))) throw fail("unknown_event", { details: { events: known } });
}

/** Locks what the hook is of, so that two creations at once cannot pass the limit. */
async function lockOwner(ctx: AppContext, owner: store.HookOwner): Promise<void> {
  if ("channelId" in owner) await lockChannel(ctx, owner.channelId);
  else if ((await lockAgent(ctx, owner.agentId)) === null) throw fail("agent_not_found");
}

const placeNow = async (ctx: AppContext, owner: store.HookOwner): Promise<number> =>
  "channelId" in owner
    ? ((await store.lastSeqOf(ctx.db, owner.channelId)) ?? 0)
    : await store.newestItem(ctx.db, owner.agentId);

async function makerOf(ctx: AppContext, caller: HookCaller) {
  if (caller.kind === "user") {
    return { created_by_user: caller.userId, created_by: caller.username, created_by_key: null };
  }
  const [name = `agent ${caller.agentId}`] = await agentNames(ctx, caller.agentId);
  return { created_by_user: null, created_by: name, created_by_key: caller.keyId };
}

/**
 * Notes a change of a hook. One that an agent's key makes or moves is told to the agent's owner: a stolen key could leave
 * one that outlives it. No secret is in it.
 */
async function note(
  ctx: AppContext,
  caller: HookCaller,
  hook: store.HookRow,
  act: "create" | "delete" | "rotate" | "update",
): Promise<void> {
  if (caller.kind === "user") return auditHook(ctx, caller, hook, act);
  const userId = act === "create" || act === "update" ? await verifiedOwner(ctx, hook.agent_id) : null;
  const details = { agent_id: hook.agent_id, webhook_id: hook.id, host: new URL(hook.url).host };
  if (userId !== null) await notifyOwner(ctx, { userId, kind: "agent_webhook", by: "self", details });
}

const secretOf = (ctx: AppContext): string => newSecret((bytes) => ctx.clock.random(bytes));
/** Returns the wire record, without the secret. */
async function hookRecord(ctx: AppContext, row: store.HookRow): Promise<Webhook> {
  return {
    webhook_id: row.id,
    kind: row.channel_id === null ? "agent" : "channel",
    channel_id: row.channel_id,
    agent_id: row.agent_id,
    url: row.url,
    events: JSON.parse(row.events) as string[],
    description: row.description,
    status: row.status,
    disabled_reason: row.disabled_reason,
    backlog: (await countWaiting(ctx.db, row.id)) + (await store.unread(ctx.db, row)),
    created_by: row.created_by,
    created_at: isoTime(row.created_at),
    last_success_at: isoTimeOrNull(row.last_success_at),
    last_failure_at: isoTimeOrNull(row.last_failure_at),
  };
}
