import type { NewMail } from "../../accounts/mails.ts";
import type { AppContext } from "../../context.ts";
import { MAIL_LIFETIMES } from "../kinds/lifetimes.ts";
import * as store from "./outbox.store.ts";

/**
 * Stores a mail in the caller's transaction. Its Message-ID is made now, so that every try has the same.
 */
export async function addMail(ctx: AppContext, { kind, to, parameters = {}, dueAt }: NewMail): Promise<void> {
  const now = ctx.clock.now();
  const due_at = dueAt ?? now;
  await store.insertMail(ctx.db, {
    user_id: to.userId ?? null,
    address: to.address ?? null,
    kind,
    parameters: JSON.stringify(parameters),
    epoch: ctx.epoch,
    state: "waiting",
    due_at,
    expires_at: due_at + MAIL_LIFETIMES[kind],
    message_id: `<${Buffer.from(ctx.clock.random(18)).toString("hex")}@${domainOf(ctx)}>`,
    reason: null,
    created_at: now,
    ended_at: null,
  });
}

const domainOf = ({ config }: AppContext): string => config.mailFrom?.address.split("@")[1] ?? "localhost";
