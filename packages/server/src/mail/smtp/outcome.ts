import type { SmtpServer } from "../../config/mail.ts";

/** The result of handing a mail to the mail server. */
export type Outcome =
  | { readonly kind: "sent"; readonly reason: string }
  /** The server does not take this mail now. */
  | { readonly kind: "later"; readonly reason: string }
  /** It never will. `isRecipients`: because of the address. */
  | { readonly kind: "refused"; readonly reason: string; readonly isRecipients: boolean }
  /** No mail can be sent now: the server is away, TLS or the login fails, or it refuses the sender. */
  | { readonly kind: "held"; readonly reason: string }
  /** It has the mail, or has not: the connection ended before its answer. */
  | { readonly kind: "unsure"; readonly reason: string };

/** The parts of an error of nodemailer that say what happened. */
export interface SmtpError extends Error {
  code?: string | undefined;
  command?: string | undefined;
  response?: string | undefined;
  responseCode?: number | undefined;
}

const REASON_MAX = 200;
const AUTH_WANTED = new Set([530, 534, 535, 538]);

/**
 * Returns what an error means for the mail. `bodySent`: the server had all of it. A refusal is the recipient's fault if
 * the server refuses the recipient itself, unless it says that a policy does (5.7.x), which may concern this server.
 */
export function outcomeOf(error: SmtpError, { bodySent, server }: { bodySent: boolean; server: SmtpServer }): Outcome {
  const reason = reasonOf(error, server);
  const { responseCode = 0, command = "" } = error;
  if (responseCode === 0) return { kind: bodySent ? "unsure" : "held", reason };
  if (responseCode === 421 || AUTH_WANTED.has(responseCode)) return { kind: "held", reason };
  if (command !== "RCPT TO" && command !== "DATA") return { kind: "held", reason };
  if (responseCode < 500) return { kind: "later", reason };
  const enhanced = /^\d{3}[ -](5\.\d+)\.\d+/.exec(error.response ?? "")?.[1];
  if (enhanced === "5.7") return { kind: "later", reason };
  const isRecipients = enhanced === undefined ? command === "RCPT TO" : enhanced === "5.1" || enhanced === "5.2";
  return { kind: "refused", reason, isRecipients };
}

/** Returns an error's text for operators: one short line without the password. */
export function reasonOf(error: SmtpError, server: SmtpServer): string {
  const where = error.command === undefined || error.command === "CONN" ? "" : `${error.command}: `;
  const text = error.response ?? error.message;
  return withoutPassword(`${where}${text}`, server)
    .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
    .slice(0, REASON_MAX)
    .toWellFormed();
}

/** Replaces the password, in each form in which a server could repeat it. */
export function withoutPassword(text: string, { login }: SmtpServer): string {
  if (login === null) return text;
  const base64 = (plain: string) => Buffer.from(plain).toString("base64");
  const { user, password } = login;
  return [password, base64(password), base64(`\0${user}\0${password}`), encodeURIComponent(password)].reduce(
    (left, secret) => left.replaceAll(secret, "***"),
    text,
  );
}
