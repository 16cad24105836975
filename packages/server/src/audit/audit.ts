import type { AuditRecord } from "@parley/protocol/administration";
import { isoTime } from "../base/iso-time.ts";
import type { Clock } from "../clock.ts";
import type { Db } from "../db/db.ts";
import { type BeforePage, pageBefore } from "../http/pages.ts";
import { type AuditFilter, type AuditRow, insertAudit, listAudit, subjectNames } from "./audit.store.ts";

/** The part of a context that the log needs; the command line has no more. */
export interface AuditContext {
  readonly db: Db;
  readonly clock: Clock;
}

/** The actor: somebody with a site level, or the operator at the command line. */
export type AuditActor = { readonly username: string } | "command line";

/** Replaces the name of an actor whose account was deleted: anonymous, but the same for all their acts. */
export const erasedActor = (userId: number): string => `user:${userId}`;

/**
 * The actor of all acts at the command line: no account, all rights. No user can have this name, because it contains a
 * space.
 */
export const COMMAND_LINE = "command line";

/** The actor of what a person's roles at the OpenID Connect provider decide. No user can have this name, either. */
export const PROVIDER = "identity provider";

export type AuditSubject =
  `${"channel" | "user" | "message" | "sticker" | "report" | "key" | "agent" | "paid" | "payout" | "payouts" | "setup_code" | "site" | "emoji" | "import" | "export"}:${number | string}`;

/** The logged acts, as keys: the kind of subject, then the act. Each module declares its own. */
// biome-ignore lint/suspicious/noEmptyInterface: the modules fill it.
export interface AuditActs {}

export type AuditAction = keyof AuditActs;

/**
 * Logs an administrative act: one that relies on a site level rather than on the actor's own role in the channel, or
 * one at the command line. Call it inside the transaction of the act, so that both commit together. The log is
 * append-only: the database refuses to change or delete its lines, except for the names of accounts that are being
 * erased.
 */
export async function audit(
  ctx: AuditContext,
  actor: AuditActor | typeof PROVIDER,
  action: AuditAction,
  subject: AuditSubject,
  details?: object,
): Promise<void> {
  await insertAudit(ctx.db, {
    actor: typeof actor === "string" ? actor : actor.username,
    action,
    subject,
    details: details === undefined ? null : JSON.stringify(details),
    created_at: ctx.clock.now(),
  });
}

export interface AuditPage extends BeforePage {
  entries: AuditRecord[];
}

/** Returns a page of the log, newest first. The caller checks that the user may read it. */
export async function readAudit(
  ctx: AuditContext,
  filter: AuditFilter & { limit?: number | undefined },
): Promise<AuditPage> {
  const { shown, ...rest } = await pageBefore(filter.limit, (limit) => listAudit(ctx.db, filter, limit));
  const names = await subjectNames(ctx.db, idsOf(shown, "user"), idsOf(shown, "channel"));
  return { entries: shown.map((row) => auditRecord(row, names.get(row.subject) ?? null)), ...rest };
}

function idsOf(rows: readonly AuditRow[], kind: string): number[] {
  const ids = rows.flatMap(({ subject }) => (subject.startsWith(`${kind}:`) ? [Number(subject.split(":")[1])] : []));
  return [...new Set(ids)];
}

function auditRecord(row: AuditRow, subjectName: string | null): AuditRecord {
  return {
    audit_id: row.id,
    actor: row.actor,
    action: row.action,
    subject: row.subject,
    subject_name: subjectName,
    details: row.details === null ? null : (JSON.parse(row.details) as Record<string, unknown>),
    created_at: isoTime(row.created_at),
  };
}
