import type { AuditRecord } from "@parley/protocol/administration";
import { readAudit } from "../audit/audit.ts";
import { type Invocation, print, UsageError } from "./command.ts";
import { openTool } from "./tool.ts";

const LIMIT = 50;

/** Prints the newest lines of the audit log, the newest last, as in a log file. */
export async function auditLog(call: Invocation): Promise<number> {
  const { actor, action, subject } = call.values;
  const limit = call.values.limit === undefined ? LIMIT : Number(call.values.limit);
  if (!Number.isInteger(limit) || limit < 1)
    throw new UsageError("--limit <count> must be a whole number of at least 1.");
  await using tool = await openTool(call);
  const filter = { actor: textOf(actor), action: textOf(action), subject: textOf(subject) };
  const entries: AuditRecord[] = [];
  for (let before: number | undefined; entries.length < limit; ) {
    const page = await readAudit(tool.ctx, { ...filter, before, limit: limit - entries.length });
    entries.push(...page.entries);
    if (page.next_before === null) break;
    before = page.next_before;
  }
  entries.reverse();
  print(call, { entries }, entries.length === 0 ? "No entries match." : entries.map(auditLine).join("\n"));
  return 0;
}

const textOf = (value: string | boolean | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

function auditLine(entry: AuditRecord): string {
  const subject = entry.subject_name === null ? entry.subject : `${entry.subject} (${entry.subject_name})`;
  const details = entry.details === null ? [] : [JSON.stringify(entry.details)];
  return [entry.created_at, entry.actor, entry.action, subject, ...details].join(" · ");
}
