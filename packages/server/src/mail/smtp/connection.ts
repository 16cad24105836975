import { Readable } from "node:stream";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import type { SmtpServer } from "../../config/mail.ts";
import { patienceOf, type Timing } from "../../timing.ts";
import { type Outcome, outcomeOf, type SmtpError } from "./outcome.ts";

/** Limits of a connection to the mail server: milliseconds of each phase, and bytes of an answer. */
const CONNECT_MS = 15_000;
const GREETING_MS = 20_000;
const SILENCE_MS = 30_000;
const ANSWER_BYTES = 16 * 1024;
/** One mail from its first command to the last answer, also if each answer comes drop by drop. */
const WHOLE_MS = 90_000;

/** A mail in the form in which it travels. */
export interface Envelope {
  readonly from: string;
  readonly to: string;
  readonly bytes: Buffer;
}

/** Settings of a connection. */
export interface Terms {
  readonly server: SmtpServer;
  readonly timing: Timing;
  /** The name of this server for the greeting. */
  readonly name: string;
}

/** A connection to the mail server, with TLS and a login where the settings say so. */
export class MailConnection {
  readonly #smtp: SMTPConnection;
  readonly #terms: Terms;
  #failed: SmtpError | undefined;
  #onFailure: ((error: SmtpError) => void) | undefined;
  mails = 0;

  private constructor(terms: Terms) {
    const { server, timing, name } = terms;
    this.#terms = terms;
    this.#smtp = new SMTPConnection({
      host: server.host,
      port: server.port,
      name,
      secure: server.tls === "wrapped",
      requireTLS: server.tls === "demanded",
      ignoreTLS: server.tls === "none",
      tls: { minVersion: "TLSv1.2", rejectUnauthorized: true, ...(server.ca === null ? {} : { ca: server.ca }) },
      connectionTimeout: patienceOf({ timing }, CONNECT_MS),
      dnsTimeout: patienceOf({ timing }, CONNECT_MS),
      greetingTimeout: patienceOf({ timing }, GREETING_MS),
      socketTimeout: patienceOf({ timing }, SILENCE_MS),
      socketCloseTimeout: 1_000,
      maxResponseSize: ANSWER_BYTES,
    });
    const failed = (error: SmtpError) => {
      this.#failed ??= error;
      this.#onFailure?.(error);
    };
    this.#smtp.on("error", failed);
    this.#smtp.on("end", () => failed(new Error("the mail server closed the connection")));
  }

  /** Connects, and logs in. @throws SmtpError */
  static async open(terms: Terms): Promise<MailConnection> {
    const made = new MailConnection(terms);
    const { login } = terms.server;
    try {
      await made.#within((done) => made.#smtp.connect((error) => done(error ?? null)));
      if (login !== null) {
        const auth = { user: login.user, pass: login.password };
        await made.#within((done) => made.#smtp.login(auth, (error) => done(error)));
      }
      return made;
    } catch (error) {
      made.close();
      throw error;
    }
  }

  /** False if the connection has ended. */
  get isOpen(): boolean {
    return this.#failed === undefined;
  }

  /**
   * Hands one mail over. `handingOver` runs when the server waits for the text, before it gets a byte of it; if it returns
   * false, the server gets nothing, and the result is null. Never rejects, unless `handingOver` does.
   */
  async send({ from, to, bytes }: Envelope, handingOver: () => Promise<boolean>): Promise<Outcome | null> {
    this.mails++;
    let bodySent = false;
    let isTaken = true;
    let problem: unknown;
    const body = new Readable({
      read() {
        handingOver().then(
          (mayGo) => {
            isTaken = mayGo;
            if (!mayGo) {
              this.destroy(new Error("the claim is over"));
              return;
            }
            bodySent = true;
            this.push(bytes);
            this.push(null);
          },
          (error: unknown) => {
            problem = error;
            this.destroy(new Error("it could not be noted that the mail is handed over"));
          },
        );
        // The rest of the body is in the stream by then.
        this._read = () => {};
      },
    });
    try {
      const envelope = { from, to: [to], size: bytes.length };
      const sent = await this.#within<string>((done) =>
        this.#smtp.send(envelope, body, (error, info) => done(error, info?.response)),
      );
      return { kind: "sent", reason: (sent ?? "").slice(0, 200) };
    } catch (error) {
      // The server is in the middle of something, or gone.
      this.close();
      if (problem !== undefined) throw problem;
      if (!isTaken) return null;
      return outcomeOf(error as SmtpError, { bodySent, server: this.#terms.server });
    } finally {
      body.destroy();
    }
  }

  /** Ends the connection at once. */
  close(): void {
    this.#failed ??= new Error("closed");
    this.#smtp.close();
  }

  /** Ends the connection politely. */
  quit(): void {
    this.#failed ??= new Error("closed");
    this.#smtp.quit();
  }

  /** Runs one exchange, which ends with an answer, the end of the connection, or the limit of time. */
  #within<T>(run: (done: (error: SmtpError | null, result?: T) => void) => void): Promise<T | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
    if (this.#failed !== undefined) return Promise.reject(this.#failed);
    this.#onFailure = reject;
    const late = setTimeout(
      () => reject(new Error("the mail server did not finish in time")),
      Math.min(WHOLE_MS, 4 * this.#terms.timing.answerMaxMs),
    );
    run((error, result) => (error === null ? resolve(result) : reject(error)));
    return promise.finally(() => {
      clearTimeout(late);
      this.#onFailure = undefined;
    });
  }
}
