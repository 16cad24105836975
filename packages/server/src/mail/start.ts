import { sweepConfirmations } from "../accounts/addresses/confirmed.ts";
import { runOnOne } from "../cluster/duties.ts";
import { sendsMail } from "../config/mail.ts";
import { type AppContext, perServer } from "../context.ts";
import { meterMail } from "./mail-metrics.ts";
import { forgetAddresses } from "./outbox/addresses.store.ts";
import { MailSender } from "./outbox/mail-sender.ts";
import { forgetEnded } from "./outbox/outbox.store.ts";

const SWEEP_MS = 10 * 60_000;
const DAY_MS = 86_400_000;
/** How long a mail that has ended is kept, without its text: for who asks what became of it. */
export const KEPT_DAYS = 14;
/** How long it is known that an address got mail, and that it was refused too often. */
const ADDRESS_DAYS = 30;
const STOPPED_DAYS = 365;

export const mailSender = perServer((ctx): MailSender => new MailSender(ctx));

/** Sends mail until the server closes, and forgets what was sent. */
export async function startMail(ctx: AppContext): Promise<void> {
  runOnOne(ctx, "sweep mail", SWEEP_MS, "the sweep of mails failed", () => sweepMail(ctx));
  if (sendsMail(ctx.config)) {
    await mailSender(ctx).start();
    meterMail(ctx, mailSender(ctx));
  } else if (ctx.config.smtp !== null) {
    ctx.log.warn({}, "no mail is sent: PARLEY_PUBLIC_URL is not set, and mails need it for their links");
  }
}

/** Deletes what is too old. */
export async function sweepMail(ctx: AppContext): Promise<void> {
  const now = ctx.clock.now();
  await forgetEnded(ctx.db, now - KEPT_DAYS * DAY_MS);
  await forgetAddresses(ctx.db, now - ADDRESS_DAYS * DAY_MS, { stopped: false });
  await forgetAddresses(ctx.db, now - STOPPED_DAYS * DAY_MS, { stopped: true });
  await sweepConfirmations(ctx);
}
