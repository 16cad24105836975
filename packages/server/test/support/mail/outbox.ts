import { enqueueMail } from "../../../src/accounts/mails.ts";
import type { AppContext } from "../../../src/context.ts";
import type { MailKind } from "../../../src/db/tables/mails.ts";
import { transact } from "../../../src/db/transact.ts";
import type { Client } from "../servers/test-server.ts";
import { eventually } from "../servers/test-server.ts";

/** Returns what became of the mails, in the order in which they were asked for: `<kind> <state> <tries> <reason>`. */
export async function outbox({
  db,
}: AppContext): Promise<{ id: number; state: string; tries: number; reason: string | null; kind: MailKind }[]> {
  return db.selectFrom("mails").select(["id", "kind", "state", "tries", "reason"]).orderBy("id").execute();
}

/** Waits until the newest mail has one of these states, and returns it. */
export const newestMail = (ctx: AppContext, ...states: string[]) =>
  eventually(`a mail that is ${states.join(" or ")}`, async () => {
    const mail = (await outbox(ctx)).at(-1);
    return mail !== undefined && states.includes(mail.state) ? mail : null;
  });

/** Waits until the newest mail waits for another try, with a reason. */
export const putBackMail = (ctx: AppContext) =>
  eventually("a mail that waits for another try", async () => {
    const mail = (await outbox(ctx)).at(-1);
    return mail?.state === "waiting" && mail.reason !== null ? mail : null;
  });

/** Asks for an invitation's mail, which needs no account: the invitation is of this administrator. */
export async function invite(ruth: Client, email: string): Promise<void> {
  const { status } = await ruth.post("/api/invitations/mail", { email });
  if (status !== 201) throw new Error(`the invitation was answered ${status}`);
}

/** Asks for the mail that confirms an address, as often as one likes. */
export const askFor = (ctx: AppContext, userId: number, address: string): Promise<void> =>
  transact(ctx, (ctx) => enqueueMail(ctx, { kind: "confirm_address", to: { userId, address } }));
