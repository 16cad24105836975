import { startBackgroundJob } from "../base/background-job.ts";
import type { AppContext } from "../context.ts";
import { countStopped } from "./outbox/addresses.store.ts";
import type { MailSender } from "./outbox/mail-sender.ts";
import { outboxFigures } from "./outbox/outbox.store.ts";

const EVERY_MS = 15_000;

/** Tells `/metrics` of the outbox, on every node: the figures are the same on all, but what holds mails is the sender's. */
export function meterMail(ctx: AppContext, { figures }: MailSender): void {
  let counted = { waiting: 0, oldestDueAt: null as number | null, unsure: 0, stopped: 0 };
  const count = async () => {
    counted = { ...(await outboxFigures(ctx.db)), stopped: await countStopped(ctx.db) };
  };
  startBackgroundJob(ctx, EVERY_MS, "counting mails failed", count);
  ctx.metrics.mailFrom(() => ({
    waiting: counted.waiting,
    oldestSeconds: counted.oldestDueAt === null ? 0 : Math.max(0, (ctx.clock.now() - counted.oldestDueAt) / 1_000),
    unsure: counted.unsure,
    stopped: counted.stopped,
    isHeld: figures.held !== null,
    outcomes: figures.outcomes,
  }));
}
