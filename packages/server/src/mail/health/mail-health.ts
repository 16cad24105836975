import type { MailHealthResponse } from "@parley/protocol/own-mail";
import { isoTimeOrNull } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { countFailed, waitingMails } from "./mail-health.store.ts";

const DAY_MS = 86_400_000;

/** Returns whether the mails of the server get away, for administrators. */
export async function mailHealth(ctx: AppContext): Promise<Omit<MailHealthResponse, "success">> {
  const now = ctx.clock.now();
  const { count, oldestDueAt, reason } = await waitingMails(ctx.db, now);
  return {
    waiting: count,
    oldest_due_at: isoTimeOrNull(oldestDueAt),
    last_problem: reason,
    failed: await countFailed(ctx.db, now - DAY_MS),
  };
}
