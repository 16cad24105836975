import type { DismissNoticesBody, SecurityNotice, SecurityNoticeKind } from "@parley/protocol/security-notices";
import type { AuditContext } from "../administration/audit.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { limitSubject } from "../http/address.ts";
import type { UserIdentity } from "../http/identity.ts";
import { type BeforePage, pageBefore } from "../http/pages.ts";
import { publishEvent } from "../realtime/publish.ts";
import { userTopic } from "../realtime/topics.ts";
import * as store from "./security-notices.store.ts";

/**
 * Notices kept of one user, of each kind and actor: many harmless ones cannot push out the one that matters. The audit log keeps
 * administrators' acts for ever.
 */
const KEPT_MAX = 50;
/** Programs that keep no cookie look new at each login: one notice a month for the same program in the same network. */
const SAME_DEVICE_MS = 30 * 86_400_000;

/** Who acted: an account, the account itself by whatever means, or the operator at the command line. */
export type NoticeActor = Pick<UserIdentity, "userId" | "username"> | "self" | "operator";

export interface NoticeInput {
  userId: number;
  kind: SecurityNoticeKind;
  by: NoticeActor;
  /** Never a name of a user: an erasure could not find it here. */
  details?: object | undefined;
}

/**
 * Keeps a notice for the account's owner and shows it on all their sockets. Call it inside the transaction of the change, so that
 * neither is there without the other.
 */
export async function notifyOwner(ctx: AppContext, input: NoticeInput): Promise<void> {
  const notice = await keepNotice(ctx, input);
  publishEvent(ctx, userTopic(input.userId), "security:notice", { notice });
}

/** The same without the event, for the command line, which has no sockets: the page reads the notice when it connects next. */
export async function keepNotice(
  ctx: AuditContext,
  { userId, kind, by, details = {} }: NoticeInput,
): Promise<SecurityNotice> {
  const administrator = typeof by === "string" || by.userId === userId ? null : by;
  const actor = by === "operator" ? by : administrator === null ? "self" : "administrator";
  const created_at = ctx.clock.now();
  const row = { kind, actor, details: JSON.stringify(details), created_at, dismissed_at: null } as const;
  const actor_id = administrator?.userId ?? null;
  const id = await store.insertNotice(ctx.db, { ...row, user_id: userId, actor_id });
  await store.removeOldestNotices(ctx.db, { userId, kind, actor }, KEPT_MAX);
  return noticeRecord({ ...row, id, actor_username: administrator?.username ?? null });
}

/** Notes a login in a browser that was not known, unless there was one like it lately. */
export async function noteNewDevice(
  ctx: AppContext,
  userId: number,
  { address, userAgent }: { address: string; userAgent: string | null },
): Promise<void> {
  const details = { user_agent: userAgent?.slice(0, 256) ?? null, network: limitSubject(address) };
  const same = { userId, kind: "new_device", details: JSON.stringify(details) } as const;
  if (await store.hasSameNotice(ctx.db, same, ctx.clock.now() - SAME_DEVICE_MS)) return;
  await notifyOwner(ctx, { ...same, by: "self", details });
}

/** Notes a new key of an agent for the user who is verified to own it, if any. */
export async function noteNewKey(ctx: AppContext, agentId: number, keyId: string): Promise<void> {
  const userId = await store.verifiedOwner(ctx.db, agentId);
  if (userId === null) return;
  const details = { agent_id: agentId, key_id: keyId };
  await notifyOwner(ctx, { userId, kind: "api_key_issued", by: "self", details });
}

/** A page of the caller's notices, the newest first. */
export async function ownNotices(
  ctx: AppContext,
  caller: UserIdentity,
  filter: store.NoticeFilter & { limit?: number | undefined },
): Promise<BeforePage & { notices: SecurityNotice[] }> {
  const read = (limit: number) => store.listNotices(ctx.db, caller.userId, filter, limit);
  const { shown, ...rest } = await pageBefore(filter.limit, read);
  return { notices: shown.map(noticeRecord), ...rest };
}

/** Dismisses the caller's notices up to one, on all their devices. They stay in the list of all notices, and in the copy of one's data. */
export async function dismissNotices(
  ctx: AppContext,
  caller: UserIdentity,
  { up_to_notice_id }: DismissNoticesBody,
): Promise<void> {
  await transact(ctx, async (ctx) => {
    await store.dismissNotices(ctx.db, caller.userId, up_to_notice_id, ctx.clock.now());
    publishEvent(ctx, userTopic(caller.userId), "security:dismissed", { up_to_notice_id });
  });
}

function noticeRecord(row: store.NoticeRow): SecurityNotice {
  return {
    notice_id: row.id,
    kind: row.kind as SecurityNoticeKind,
    actor: row.actor,
    actor_username: row.actor_username,
    details: JSON.parse(row.details) as Record<string, unknown>,
    created_at: new Date(row.created_at).toISOString(),
    dismissed_at: row.dismissed_at === null ? null : new Date(row.dismissed_at).toISOString(),
  };
}
