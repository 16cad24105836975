import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { Config } from "../../../src/config/config.ts";
import type { SmtpServer } from "../../../src/config/mail.ts";

/** A mail as the server of the tests has it. */
export interface ReceivedMail {
  from: string;
  to: string;
  /** The headers, in one line each, and the decoded parts. */
  raw: string;
  header(name: string): string | null;
  text: string;
  html: string;
}

/** Answers with this code and text instead of taking what was sent. */
export const refusal = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode });

/** A mail server on a free port, which keeps what it gets. */
export class TestMailServer implements AsyncDisposable {
  readonly mails: ReceivedMail[] = [];
  /** Called for each recipient; an error refuses it. */
  onRecipient: (address: string) => Error | null | Promise<Error | null> = () => null;
  onSender: () => Error | null = () => null;
  /** Called when a whole mail has arrived; an error refuses it. */
  onMail: (mail: ReceivedMail) => Error | null | Promise<Error | null> = () => null;
  connections = 0;
  readonly #server: SMTPServer;

  private constructor(options: SMTPServerOptions) {
    this.#server = new SMTPServer({
      disabledCommands: ["STARTTLS"],
      authOptional: true,
      logger: false,
      disableReverseLookup: true,
      onConnect: (_session, done) => {
        this.connections++;
        done();
      },
      onMailFrom: (_address, _session, done) => done(this.onSender()),
      onRcptTo: ({ address }, _session, done) => {
        void Promise.resolve(this.onRecipient(address)).then((error) => done(error));
      },
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => {
          const { mailFrom, rcptTo } = session.envelope;
          const mail = received(
            Buffer.concat(chunks).toString("utf8"),
            mailFrom === false ? "" : mailFrom.address,
            rcptTo[0]?.address ?? "",
          );
          void Promise.resolve(this.onMail(mail)).then((error) => {
            if (error === null) this.mails.push(mail);
            done(error);
          });
        });
      },
      ...options,
    });
    this.#server.on("error", () => {});
  }

  static async start(options: SMTPServerOptions = {}, port = 0): Promise<TestMailServer> {
    const made = new TestMailServer(options);
    await new Promise<void>((resolve) => made.#server.listen(port, "127.0.0.1", () => resolve()));
    return made;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  /** The settings of a server that sends its mails here. */
  settings(smtp: Partial<SmtpServer> = {}): Pick<Config, "smtp" | "mailFrom" | "publicUrl"> {
    return mailSettings({ port: this.port, ...smtp });
  }

  /** The mails to an address. */
  to(address: string): ReceivedMail[] {
    return this.mails.filter((mail) => mail.to === address);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** The settings of a server that sends mail to a port of this machine. */
export const mailSettings = (smtp: Partial<SmtpServer> & { port: number }) => ({
  smtp: { host: "127.0.0.1", tls: "none" as const, ca: null, login: null, ...smtp },
  mailFrom: { name: null, address: "chat@example.org" },
  publicUrl: "https://chat.example.org",
});

/** Returns a mail of these bytes. */
export function received(raw: string, from: string, to: string): ReceivedMail {
  const at = raw.indexOf("\r\n\r\n");
  const head = raw.slice(0, at).replaceAll(/\r\n[ \t]+/g, " ");
  const header = (name: string) =>
    head
      .split("\r\n")
      .find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
      ?.slice(name.length + 1)
      .trim() ?? null;
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1] ?? "";
  const parts = raw.slice(at).split(`--${boundary}`);
  const part = (type: string) => decoded(parts.find((text) => text.includes(`Content-Type: ${type}`)) ?? "");
  return { from, to, raw, header, text: part("text/plain"), html: part("text/html") };
}

/** Decodes quoted-printable and base64. */
function decoded(part: string): string {
  const at = part.indexOf("\r\n\r\n");
  const body = part.slice(at + 4);
  if (/Transfer-Encoding: base64/i.test(part.slice(0, at))) return Buffer.from(body, "base64").toString("utf8");
  const bytes = body
    .replaceAll(/=\r\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8").replaceAll("\r\n", "\n");
}

/** Returns the token of the link in a mail. */
export const tokenIn = (mail: ReceivedMail | undefined): string =>
  /#([A-Za-z0-9_-]{43})/.exec(mail?.text ?? "")?.[1] ?? "";
