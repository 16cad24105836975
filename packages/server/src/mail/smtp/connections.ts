import type { Envelope, Terms } from "./connection.ts";
import { MailConnection } from "./connection.ts";
import { type Outcome, outcomeOf, type SmtpError } from "./outcome.ts";

/** Mails over one connection, and how long one stays open unused. */
const MAILS_MAX = 100;
const IDLE_MS = 5_000;

/** The open connections to the mail server. The caller limits their number. */
export class MailConnections {
  readonly #terms: Terms;
  readonly #idle = new Map<MailConnection, Timer>();
  #closed = false;

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  /** Hands a mail over, as `MailConnection.send` does, over an open connection or a new one. */
  async send(envelope: Envelope, handingOver: () => Promise<boolean>): Promise<Outcome | null> {
    const used = this.#take();
    if (used !== undefined) {
      const outcome = await this.#over(used, envelope, handingOver);
      // The server may have closed it meanwhile; a new one tells whether it is away.
      if (outcome?.kind !== "held") return outcome;
    }
    let opened: MailConnection;
    try {
      opened = await MailConnection.open(this.#terms);
    } catch (error) {
      return outcomeOf(error as SmtpError, { bodySent: false, server: this.#terms.server });
    }
    return this.#over(opened, envelope, handingOver);
  }

  /** Closes all connections. */
  close(): void {
    this.#closed = true;
    for (const [connection, timer] of this.#idle) {
      clearTimeout(timer);
      connection.quit();
    }
    this.#idle.clear();
  }

  #take(): MailConnection | undefined {
    for (const [connection, timer] of this.#idle) {
      clearTimeout(timer);
      this.#idle.delete(connection);
      if (connection.isOpen) return connection;
    }
    return undefined;
  }

  async #over(connection: MailConnection, envelope: Envelope, handingOver: () => Promise<boolean>) {
    const outcome = await connection.send(envelope, handingOver);
    if (this.#closed || connection.mails >= MAILS_MAX) connection.quit();
    else if (connection.isOpen) {
      const timer = setTimeout(() => {
        this.#idle.delete(connection);
        connection.quit();
      }, IDLE_MS);
      timer.unref();
      this.#idle.set(connection, timer);
    }
    return outcome;
  }
}
