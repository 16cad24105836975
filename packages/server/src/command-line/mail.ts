import { isEmail } from "../accounts/profiles/addresses.ts";
import { isoTime, isoTimeOrNull } from "../base/iso-time.ts";
import { MAIL_STATES, type MailRow, mailsIn } from "../mail/outbox/list-mails.ts";
import { missingForMail, sendTestMail } from "../mail/test-mail.ts";
import { type Invocation, print, UsageError } from "./command.ts";
import { openTool } from "./tool.ts";

const ADVICE = {
  sent: "The mail server has taken it. If it does not arrive, look for it among unwanted mail, and check SPF, DKIM and DMARC of the sender's domain.",
  later: "The mail server takes no mail for this address now. Mails are tried again for hours.",
  refused: "The mail server refuses this mail for good.",
  held: "Nothing can be sent until this is mended. Check host, port, TLS and login in PARLEY_SMTP_URL, and PARLEY_MAIL_FROM.",
  unsure: "The mail server may have it, or not: it did not answer.",
} as const;

/** Sends a mail at once and says what the mail server answered. */
export async function mailTest(call: Invocation): Promise<number> {
  const [address = ""] = call.positionals;
  if (!isEmail(address)) throw new UsageError("<address> must be an email address, such as ann@example.org.");
  await using tool = await openTool(call);
  const missing = missingForMail(tool.config);
  if (missing !== null) {
    print(call, { state: "off", reason: missing }, missing);
    return 1;
  }
  const { kind, reason } = await sendTestMail(tool.ctx, address);
  print(call, { state: kind, reason }, `${kind === "sent" ? "Sent" : "Not sent"}: ${reason}\n${ADVICE[kind]}`);
  return kind === "sent" ? 0 : 1;
}

/** Lists mails by what became of them. */
export async function mailList(call: Invocation): Promise<number> {
  const { state = "waiting" } = call.values;
  const wanted = MAIL_STATES.find((word) => word === state);
  if (wanted === undefined) throw new UsageError(`--state <state> must be one of ${MAIL_STATES.join(", ")}.`);
  await using tool = await openTool(call);
  const mails = (await mailsIn(tool.ctx, wanted)).map(record);
  print(call, { mails }, mails.length === 0 ? "No mails." : mails.map(line).join("\n"));
  return 0;
}

const record = ({ id, kind, state, user, due_at, tries, reason, created_at, ended_at }: MailRow) => ({
  mail_id: id,
  kind,
  state,
  username: user,
  tries,
  reason,
  created_at: isoTime(created_at),
  due_at: isoTime(due_at),
  ended_at: isoTimeOrNull(ended_at),
});

const line = (mail: ReturnType<typeof record>): string =>
  [mail.mail_id, mail.kind, mail.username ?? "no account", mail.created_at, mail.reason]
    .filter((part) => part !== null)
    .join(" · ");
