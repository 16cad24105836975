import { readFileSync } from "node:fs";
import { isLoopback, type Variable } from "./parse.ts";

/** The mail server that takes this server's mails. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /**
   * `wrapped`: TLS from the first byte. `demanded`: STARTTLS, and nothing is sent without it. `none`: no TLS.
   */
  readonly tls: "wrapped" | "demanded" | "none";
  /** PEM of the certificate authorities to trust; null: those of this machine. */
  readonly ca: string | null;
  readonly login: { readonly user: string; readonly password: string } | null;
}

/** The sender of all mails. */
export interface MailFrom {
  readonly name: string | null;
  readonly address: string;
}

const FORM = "smtps://<user>:<password>@<host>:<port> or smtp://<user>:<password>@<host>:<port>";
/** The characters of an address in a header and in SMTP, without extensions. */
const ADDRESS = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;

/** Settings of mail (protocol §17). */
export const MAIL_VARIABLES = {
  smtp: {
    name: "PARLEY_SMTP_URL",
    meaning:
      "The mail server that takes mails: `smtps://<user>:<password>@<host>:<port>` (TLS from the first byte, port 465) or `smtp://…` (port 587). With `smtp://` to another machine STARTTLS is demanded; `?starttls=off` sends without TLS, and then no password is allowed. `?ca=<file>` names the authority of its certificate. In a name or password, write special characters as in URLs (`%40` for `@`). No mail is sent without this, `PARLEY_MAIL_FROM` and `PARLEY_PUBLIC_URL`. See the guide [Mail](../guide/mail.md).",
    byDefault: null,
    parse: smtpServer,
    secret: true,
  } as Variable<SmtpServer | null>,
  mailFrom: {
    name: "PARLEY_MAIL_FROM",
    meaning: "Who mails are from: `chat@example.org` or `Example Chat <chat@example.org>`. Answers to it are not read.",
    byDefault: null,
    parse: mailFrom,
  } as Variable<MailFrom | null>,
};

/** Parses the address of a mail server. The errors never repeat it, because it may contain a password. */
function smtpServer(raw: string): SmtpServer {
  const url = URL.parse(raw);
  if (url === null || !["smtp:", "smtps:"].includes(url.protocol) || url.hostname === "")
    throw new Error(`must be ${FORM}`);
  if (!["", "/"].includes(url.pathname) || url.hash !== "") throw new Error("must not have a path or a fragment");
  const unknown = [...url.searchParams.keys()].filter((name) => !["starttls", "ca"].includes(name));
  if (unknown.length > 0) throw new Error("has a parameter that is neither starttls nor ca");
  const isWrapped = url.protocol === "smtps:";
  const login = loginOf(url);
  const tls = isWrapped ? "wrapped" : startTls(url);
  // The URL of a scheme that is not special keeps the host as it is written.
  const host = url.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  if (!/^[a-z0-9._:-]+$/.test(host)) throw new Error("has a host that is neither a name nor an IP address");
  if (tls === "none" && login !== null && !isLoopback(url.hostname))
    throw new Error("would send the password in clear text: use smtps:// or leave out starttls=off");
  return { host, port: url.port === "" ? (isWrapped ? 465 : 587) : Number(url.port), tls, ca: caOf(url), login };
}

function startTls(url: URL): SmtpServer["tls"] {
  const wish = url.searchParams.get("starttls");
  if (wish === "off") return "none";
  if (wish !== null && wish !== "required") throw new Error("has starttls, which must be required or off");
  return wish === "required" || !isLoopback(url.hostname) ? "demanded" : "none";
}

function loginOf(url: URL): SmtpServer["login"] {
  if (url.username === "" && url.password === "") return null;
  if (url.username === "" || url.password === "") throw new Error("must have both a user and a password, or neither");
  try {
    return { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  } catch {
    throw new Error("has a user or password with a % that is not written as %25");
  }
}

function caOf(url: URL): string | null {
  const path = url.searchParams.get("ca");
  if (path === null) return null;
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(
      `names a file in ca that cannot be read (${(error as NodeJS.ErrnoException).code ?? "unreadable"})`,
    );
  }
}

/** Parses who mails are from. */
function mailFrom(raw: string): MailFrom {
  const { name, address = raw } = /^(?<name>[^<>]*)<(?<address>[^<>]*)>$/.exec(raw)?.groups ?? {};
  const shown = name?.trim().replace(/^"(.*)"$/, "$1") ?? "";
  if (!ADDRESS.test(address) || /[\p{C}\p{Zl}\p{Zp}"\\]/u.test(shown))
    throw new Error("must be an address such as chat@example.org or Example Chat <chat@example.org>");
  return { name: shown === "" ? null : shown, address };
}

interface MailSettings {
  readonly smtp: SmtpServer | null;
  readonly mailFrom: MailFrom | null;
  readonly publicUrl: string | null;
}

/** Returns the problems of settings of mail that need others. */
export function mailProblems({ smtp, mailFrom }: Omit<MailSettings, "publicUrl">): string[] {
  return smtp !== null && mailFrom === null ? ["PARLEY_MAIL_FROM must be set if PARLEY_SMTP_URL is set"] : [];
}

/** True if the server sends mail: it has a mail server, a sender, and a public URL for the links. */
export const sendsMail = ({ smtp, mailFrom, publicUrl }: MailSettings): boolean =>
  smtp !== null && mailFrom !== null && publicUrl !== null;
