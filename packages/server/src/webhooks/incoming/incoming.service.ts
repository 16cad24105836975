import { createHash, timingSafeEqual } from "node:crypto";
import { RATES } from "@parley/protocol/limits";
import {
  CHANNEL_WEBHOOKS_MAX,
  type CreateIncomingWebhookBody,
  HOOK_BODY_BYTES,
  type IncomingWebhook,
  type UpdateIncomingWebhookBody,
  WEBHOOK_NAME_MAX,
} from "@parley/protocol/webhooks";
import { impersonation } from "../../accounts/names/names.ts";
import { audit } from "../../audit/audit.ts";
import { isoTime, isoTimeOrNull } from "../../base/iso-time.ts";
import { isBlank } from "../../base/visible-text.ts";
import { isByLevel, manageableChannel, roleIn } from "../../channels/access/access.ts";
import type { Channel } from "../../channels/channel.ts";
import { findChannel } from "../../channels/channel-cache.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { lockChannel } from "../../event-log/events.ts";
import { checkEncoding, readBytes } from "../../http/body/body.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { rateLimited } from "../../http/rates.ts";
import { postWebhookMessage } from "../../messages/append/feature-messages.ts";
import type { Posted } from "../../messages/append/post-message.ts";
import { cutToMessage } from "./forms/fields.ts";
import * as store from "./incoming.store.ts";
import { readHookBody } from "./read-hook-body.ts";

const SECRET_BYTES = 24;
/** How exact `last_used_at` is. */
const USED_EVERY_MS = 60_000;
/** Compared with where there is no hook, so that both answers take as long. */
const NO_HASH = "0".repeat(64);

/** Returns the incoming webhooks of a channel, for its admins. Errors: those of `manageableChannel`. */
export async function listIncoming(
  ctx: AppContext,
  caller: UserIdentity,
  channelId: number,
): Promise<IncomingWebhook[]> {
  const channel = await manageableChannel(ctx, caller, { id: channelId }, "admin");
  return (await store.incomingOf(ctx.db, channel.id)).map(recordOf);
}

/**
 * Creates an incoming webhook and returns it with the path of its address, which nobody can read again.
 * Errors: those of `manageableChannel`, `invalid_webhook_name`, `webhook_limit_reached`.
 */
export async function createIncoming(
  ctx: AppContext,
  caller: UserIdentity,
  channelId: number,
  body: CreateIncomingWebhookBody,
): Promise<{ record: IncomingWebhook; path: string }> {
  const channel = await manageableChannel(ctx, caller, { id: channelId }, "admin");
  const name = nameOf(body.name);
  const secret = newSecret(ctx);
  return transact(ctx, async (ctx) => {
    await checkImpersonation(ctx, name);
    // Locked, so that two creations at once cannot pass the limit.
    await lockChannel(ctx, channel.id);
    if ((await store.incomingOf(ctx.db, channel.id)).length >= CHANNEL_WEBHOOKS_MAX)
      throw fail("webhook_limit_reached");
    const row = await store.insertIncoming(ctx.db, {
      channel_id: channel.id,
      name,
      secret_hash: hashOf(secret),
      enabled: 1,
      allow_mentions: body.allow_mentions === true ? 1 : 0,
      created_by_user: caller.userId,
      created_by: caller.username,
      created_at: ctx.clock.now(),
    });
    await note(ctx, caller, channel, "create", row.id);
    return { record: recordOf(row), path: pathOf(row.id, secret) };
  });
}

/** Errors: those of `manageableChannel`, `webhook_not_found`, `invalid_webhook_name`, `no_fields`. */
export async function updateIncoming(
  ctx: AppContext,
  caller: UserIdentity,
  of: HookRef,
  { name, enabled, allow_mentions }: UpdateIncomingWebhookBody,
): Promise<IncomingWebhook> {
  const change = {
    ...(name === undefined ? {} : { name: nameOf(name) }),
    ...(enabled === undefined ? {} : { enabled: enabled ? (1 as const) : (0 as const) }),
    ...(allow_mentions === undefined ? {} : { allow_mentions: allow_mentions ? (1 as const) : (0 as const) }),
  };
  if (Object.keys(change).length === 0) throw fail("no_fields");
  const { channel } = await ownIncoming(ctx, caller, of);
  return transact(ctx, async (ctx) => {
    if (change.name !== undefined) await checkImpersonation(ctx, change.name);
    const row = await store.updateIncoming(ctx.db, of.hookId, change);
    if (row === undefined) throw fail("webhook_not_found");
    await note(ctx, caller, channel, "update", row.id);
    return recordOf(row);
  });
}

/** Replaces the secret; the old address ends at once. Errors: those of `manageableChannel`, `webhook_not_found`. */
export async function rotateIncoming(
  ctx: AppContext,
  caller: UserIdentity,
  of: HookRef,
): Promise<{ record: IncomingWebhook; path: string }> {
  const { channel } = await ownIncoming(ctx, caller, of);
  const secret = newSecret(ctx);
  return transact(ctx, async (ctx) => {
    const row = await store.updateIncoming(ctx.db, of.hookId, { secret_hash: hashOf(secret) });
    if (row === undefined) throw fail("webhook_not_found");
    await note(ctx, caller, channel, "rotate", row.id);
    return { record: recordOf(row), path: pathOf(row.id, secret) };
  });
}

/** Its messages stay. Errors: those of `manageableChannel`, `webhook_not_found`. */
export async function deleteIncoming(ctx: AppContext, caller: UserIdentity, of: HookRef): Promise<void> {
  const { channel } = await ownIncoming(ctx, caller, of);
  await transact(ctx, async (ctx) => {
    await store.deleteIncoming(ctx.db, of.hookId);
    await note(ctx, caller, channel, "delete", of.hookId);
  });
}

/** An incoming webhook as a path names it. */
export interface HookRef {
  channelId: number;
  hookId: number;
}

async function ownIncoming(ctx: AppContext, caller: UserIdentity, { channelId, hookId }: HookRef) {
  const channel = await manageableChannel(ctx, caller, { id: channelId }, "admin");
  const row = await store.findIncoming(ctx.db, hookId);
  if (row === undefined || row.channel_id !== channel.id) throw fail("webhook_not_found");
  return { channel, row };
}

/**
 * Posts what a request to an incoming webhook says.
 * Errors: `hook_not_found`, `hook_disabled`, `rate_limited`, those of `readHookBody` and `postWebhookMessage`.
 */
export async function postByHook(
  ctx: AppContext,
  hook: string,
  request: Request,
): Promise<{ posted: Posted; isOwnForm: boolean }> {
  const row = await authentic(ctx, hook);
  const channel = row === undefined ? null : await findChannel(ctx, { id: row.channel_id });
  if (row === undefined || channel === null) throw fail("hook_not_found");
  if (row.enabled === 0) throw fail("hook_disabled");
  const taken = await ctx.limiter.take(RATES.incomingWebhook, `hook ${row.id}`);
  if (!taken.allowed) throw rateLimited(taken);
  checkEncoding(request);
  const call = readHookBody(request.headers, await readBytes(request, HOOK_BODY_BYTES));
  const posted = await postWebhookMessage(ctx, {
    channel,
    webhook: { id: row.id, name: row.name, allowsMentions: row.allow_mentions === 1 },
    content: cutToMessage(call.content),
    clientMsgId: call.clientMsgId,
    threadRootId: call.threadRootId,
  });
  const now = ctx.clock.now();
  if ((row.last_used_at ?? 0) <= now - USED_EVERY_MS) await store.updateIncoming(ctx.db, row.id, { last_used_at: now });
  return { posted, isOwnForm: call.isOwnForm };
}

/** Returns the hook of `<id>_<secret>`, in a time that does not depend on how much of the secret is right. */
async function authentic(ctx: AppContext, hook: string): Promise<store.IncomingRow | undefined> {
  const [, id = "", secret = ""] = /^(\d{1,15})_([\w-]{1,64})$/.exec(hook) ?? [];
  const row = id === "" ? undefined : await store.findIncoming(ctx.db, Number(id));
  const isRight = timingSafeEqual(Buffer.from(hashOf(secret)), Buffer.from(row?.secret_hash ?? NO_HASH));
  return isRight ? row : undefined;
}

/** Audits acts by site level, as all changes of channels. No secret is in it. */
async function note(
  ctx: AppContext,
  caller: UserIdentity,
  channel: Channel,
  act: "create" | "delete" | "rotate" | "update",
  incoming_webhook_id: number,
): Promise<void> {
  if (!isByLevel(await roleIn(ctx, caller, channel))) return;
  await audit(ctx, caller, `webhook_${act}`, `channel:${channel.id}`, { incoming_webhook_id });
}

function nameOf(text: string): string {
  const name = text.trim().normalize("NFC");
  if (isBlank(name) || [...name].length > WEBHOOK_NAME_MAX || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name))
    throw fail("invalid_webhook_name");
  return name;
}

/**
 * Refuses a name that readers could take for a user's or an agent's. A webhook does not reserve its name: if a user
 * takes it later, the badge tells the two apart.
 * @throws invalid_webhook_name
 */
async function checkImpersonation(ctx: AppContext, name: string): Promise<void> {
  const details = await impersonation(ctx.db, "name", name);
  if (details !== null) throw fail("invalid_webhook_name", { details });
}

const newSecret = (ctx: AppContext): string => Buffer.from(ctx.clock.random(SECRET_BYTES)).toString("base64url");
const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");
const pathOf = (id: number, secret: string): string => `/api/hooks/${id}_${secret}`;
const recordOf = (row: store.IncomingRow): IncomingWebhook => ({
  incoming_webhook_id: row.id,
  channel_id: row.channel_id,
  name: row.name,
  enabled: row.enabled === 1,
  allow_mentions: row.allow_mentions === 1,
  created_by: row.created_by,
  created_at: isoTime(row.created_at),
  last_used_at: isoTimeOrNull(row.last_used_at),
});
