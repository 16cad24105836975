import { counted } from "../base/counted.ts";
import { systemClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { type DatabaseFacts, isReadable } from "../db/inspect.ts";
import { readSnapshot } from "../db/snapshot.ts";
import type { Finding } from "../module.ts";
import { usualTiming } from "../timing.ts";
import { countStopped } from "./outbox/addresses.store.ts";
import { outboxFigures } from "./outbox/outbox.store.ts";
import { MailConnection } from "./smtp/connection.ts";
import { reasonOf, type SmtpError } from "./smtp/outcome.ts";

const OLD_MS = 30 * 60_000;
/** The doctor's patience with a mail server. */
const ANSWER_MS = 10_000;
const found = (state: Finding["state"], text: string): Finding => ({ check: "mail", state, text });

/** Checks whether mail can be sent: the settings, the mail server with TLS and login, and the outbox. Sends nothing. */
export async function checkMail(config: Config, facts: DatabaseFacts | Error | null): Promise<Finding[]> {
  const { smtp, publicUrl } = config;
  if (smtp === null)
    return [found("ok", "no mail is sent (PARLEY_SMTP_URL is not set): forgotten passwords need an administrator")];
  if (publicUrl === null)
    return [found("problem", "no mail is sent: set PARLEY_PUBLIC_URL, from which the links in mails are built")];
  const problem = await reachProblem(config);
  const server = `${smtp.host}:${smtp.port}`;
  const reached =
    problem === null
      ? found("ok", `${server} lets this server in${smtp.tls === "none" ? ", without TLS" : " over TLS"}`)
      : found("problem", `no mail can be sent by ${server}: ${problem}. Mails wait; correct PARLEY_SMTP_URL`);
  return [reached, ...(isReadable(facts) ? await outboxFindings(config) : [])];
}

/** Connects to the mail server and logs in. Returns what is wrong, without the password; null: nothing. */
export async function reachProblem({ smtp, publicUrl }: Config): Promise<string | null> {
  if (smtp === null) return "PARLEY_SMTP_URL is not set";
  const name = publicUrl === null ? "localhost" : new URL(publicUrl).hostname;
  try {
    const timing = { ...usualTiming, answerMaxMs: ANSWER_MS };
    (await MailConnection.open({ server: smtp, timing, name })).quit();
    return null;
  } catch (error) {
    return reasonOf(error as SmtpError, smtp);
  }
}

async function outboxFindings({ database }: Config): Promise<Finding[]> {
  const { figures, stopped } = await readSnapshot(database, systemClock, async (db) => ({
    figures: await outboxFigures(db),
    stopped: await countStopped(db),
  }));
  const { waiting, oldestDueAt, unsure } = figures;
  const age = oldestDueAt === null ? 0 : systemClock.now() - oldestDueAt;
  return [
    ...(age > OLD_MS
      ? [
          found(
            "advice",
            `the oldest of ${counted(waiting, "mail")} has waited ${counted(Math.round(age / 60_000), "minute")}; see: parley mail list`,
          ),
        ]
      : []),
    ...(unsure > 0
      ? [
          found(
            "advice",
            `nobody knows whether ${counted(unsure, "mail")} arrived, and none is sent again; see: parley mail list --state unsure`,
          ),
        ]
      : []),
    ...(stopped > 0
      ? [
          found(
            "advice",
            `${counted(stopped, "address", "addresses")} refused three mails and get no more until their users confirm them anew`,
          ),
        ]
      : []),
  ];
}
