import type { DismissNoticesBody, SecurityNotice, SecurityNoticeKind } from "@parley/protocol/accounts";
import type { AuditContext } from "../../audit/audit.ts";
import { isoTime, isoTimeOrNull } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { limitSubject } from "../../http/connections/address.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { type BeforePage, pageBefore } from "../../http/pages.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { userTopic } from "../../realtime/topics.ts";
import { lockUser } from "../accounts.store.ts";
import { noticesRead, notify } from "../notices.ts";
import { mailNotice } from "./mailed-notices.ts";
import * as store from "./security-notices.store.ts";

/**
 * Notices kept per user, kind and actor, so that many harmless ones cannot displace one that matters. The audit log
 * keeps administrators' acts permanently.
 */
const KEPT_MAX = 50;
/**
 * Clients without cookies look new at each login: at most one notice a month for the same client in the same network.
 */
const SAME_DEVICE_MS = 30 * 86_400_000;

/** The actor: another account, the account itself by whatever means, or the operator at the command line. */
export type NoticeActor = Pick<UserIdentity, "userId" | "username"> | "self" | "operator";

export interface NoticeInput {
  userId: number;
  kind: SecurityNoticeKind;
  by: NoticeActor;
  /** Must not contain a user's name: an erasure could not find it here. */
  details?: object | undefined;
  /** The account's own session that did it, if it is not the one whose request is handled. */
  sessionId?: number | undefined;
}

/**
 * Stores a notice for the account's owner and publishes it to all their sockets. Call it inside the transaction of the
 * change, so that both commit together.
 */
export async function notifyOwner(ctx: AppContext, input: NoticeInput): Promise<void> {
  const { userId, by, details } = input;
  const session = by === "operator" || (by !== "self" && by.userId !== userId) ? null : (ctx.act?.session ?? null);
  const sessionId = input.sessionId ?? (session?.userId === userId ? session.sessionId : undefined);
  const own = sessionId === undefined ? {} : { session_id: sessionId };
  // The session comes last, so that `hasSameNotice` can compare the beginning.
  const notice = await keepNotice(ctx, { ...input, details: { ...details, ...own } });
  publishEvent(ctx, userTopic(input.userId), "security:notice", { notice });
  await notify(ctx, input.userId, { code: "security", detail: input.kind, sessionId });
  await mailNotice(ctx, { userId, kind: input.kind, actor: notice.actor, details: notice.details });
}

/**
 * Stores a notice without the event, for the command line, which has no sockets: the page reads it on its next
 * connection.
 */
export async function keepNotice(
  ctx: AuditContext,
  { userId, kind, by, details = {} }: NoticeInput,
): Promise<SecurityNotice> {
  const administrator = typeof by === "string" || by.userId === userId ? null : by;
  const actor = by === "operator" ? by : administrator === null ? "self" : "administrator";
  const created_at = ctx.clock.now();
  const row = { kind, actor, details: JSON.stringify(details), created_at, dismissed_at: null } as const;
  const actor_id = administrator?.userId ?? null;
  // Of two notices at once, the second removes what the first leaves over.
  await lockUser(ctx.db, userId);
  const id = await store.insertNotice(ctx.db, { ...row, user_id: userId, actor_id });
  await store.removeOldestNotices(ctx.db, { userId, kind, actor }, KEPT_MAX);
  return noticeRecord({ ...row, id, actor_username: administrator?.username ?? null });
}

/** Notes a login in an unknown browser, which began this session, unless there was a similar one recently. */
export async function noteNewDevice(
  ctx: AppContext,
  { userId, sessionId }: Pick<UserIdentity, "userId" | "sessionId">,
  { address, userAgent }: { address: string; userAgent: string | null },
): Promise<void> {
  const details = { user_agent: userAgent?.slice(0, 256) ?? null, network: limitSubject(address) };
  const same = { userId, kind: "new_device", details: JSON.stringify(details) } as const;
  if (await store.hasSameNotice(ctx.db, same, ctx.clock.now() - SAME_DEVICE_MS)) return;
  await notifyOwner(ctx, { userId, kind: "new_device", by: "self", details, sessionId });
}

/** Notifies an agent's verified owner, if any, of a new key. */
export async function noteNewKey(ctx: AppContext, agentId: number, keyId: string, by: NoticeActor): Promise<void> {
  const userId = await store.verifiedOwner(ctx.db, agentId);
  if (userId === null) return;
  const details = { agent_id: agentId, key_id: keyId };
  await notifyOwner(ctx, { userId, kind: "api_key_issued", by, details });
}

/** Returns a page of the caller's notices, newest first. */
export async function ownNotices(
  ctx: AppContext,
  caller: UserIdentity,
  filter: store.NoticeFilter & { limit?: number | undefined },
): Promise<BeforePage & { notices: SecurityNotice[] }> {
  const read = (limit: number) => store.listNotices(ctx.db, caller.userId, filter, limit);
  const { shown, ...rest } = await pageBefore(filter.limit, read);
  return { notices: shown.map(noticeRecord), ...rest };
}

/**
 * Dismisses the caller's notices up to one, on all their devices. Dismissed notices stay in the full list and in the
 * export of the user's data.
 */
export async function dismissNotices(
  ctx: AppContext,
  caller: UserIdentity,
  { up_to_notice_id }: DismissNoticesBody,
): Promise<void> {
  await transact(ctx, async (ctx) => {
    await store.dismissNotices(ctx.db, caller.userId, up_to_notice_id, ctx.clock.now());
    publishEvent(ctx, userTopic(caller.userId), "security:dismissed", { up_to_notice_id });
    await noticesRead(ctx, caller.userId, "security");
  });
}

function noticeRecord(row: store.NoticeRow): SecurityNotice {
  return {
    notice_id: row.id,
    kind: row.kind as SecurityNoticeKind,
    actor: row.actor,
    actor_username: row.actor_username,
    details: JSON.parse(row.details) as Record<string, unknown>,
    created_at: isoTime(row.created_at),
    dismissed_at: isoTimeOrNull(row.dismissed_at),
  };
}
