import { runOnOne } from "../../cluster/duties.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { siteName } from "../../site/site.ts";
import { MailConnections } from "../smtp/connections.ts";
import type { Outcome } from "../smtp/outcome.ts";
import { renderMail } from "../text/render.ts";
import { addRefusal, isReachable } from "./allowance.ts";
import * as store from "./outbox.store.ts";
import { holdAfter, waitAfter } from "./retry-schedule.ts";
import { type TakenMail, takeMail } from "./take-mail.ts";

const EVERY_MS = 1_000;
/** Mails at a time, each on a connection of its own. */
const AT_ONCE = 3;
/** How long a server that stops waits for answers. */
const FAREWELL_MS = 5_000;

/** The figures of the sender in `/metrics`. */
export interface SenderFigures {
  /** Mails by what became of them, since this server started. */
  readonly outcomes: Map<Outcome["kind"], number>;
  /** Why nothing can be sent now; null: nothing is known to be wrong. */
  held: string | null;
}

/**
 * Sends what waits in the outbox, on one node. Rows are claimed, so that a node which believes for a moment that the duty
 * is still its own sends nothing twice. When the mail server asks for the text of a mail, that is noted before it gets a
 * byte: a mail whose handing over nobody answered is not sent again (docs/guide/mail.md).
 */
export class MailSender {
  readonly #ctx: AppContext;
  readonly #connections: MailConnections;
  readonly #running = new Set<Promise<void>>();
  readonly figures: SenderFigures = { outcomes: new Map(), held: null };
  #failures = 0;
  /** On the monotonic clock. */
  #heldUntil = 0;
  #stopped = false;
  #closed = false;

  constructor(ctx: AppContext) {
    const { smtp, publicUrl } = ctx.config;
    if (smtp === null || publicUrl === null) throw new Error("this server sends no mail");
    this.#ctx = ctx;
    this.#connections = new MailConnections({ server: smtp, timing: ctx.timing, name: new URL(publicUrl).hostname });
  }

  async start(): Promise<void> {
    const ctx = this.#ctx;
    const now = ctx.clock.now();
    // Tries that an earlier process of a lone server had begun have ended with it.
    if (ctx.cluster === null) await store.endClaims(ctx.db);
    const restored = await store.endOfOtherEpochs(ctx.db, ctx.epoch, now);
    if (restored > 0) ctx.log.warn({ mails: restored }, "the data was restored: mails that waited then are not sent");
    runOnOne(ctx, "send mail", EVERY_MS, "sending mail failed", () => this.pass());
    ctx.onClose(async () => {
      this.#stopped = true;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, FAREWELL_MS);
      await Promise.race([this.settled(), late]);
      clearTimeout(timer);
      this.#closed = true;
      this.#connections.close();
    });
  }

  /** Begins to send what is due. Resolves before the answers arrive. */
  async pass(): Promise<void> {
    const { db, clock, log } = this.#ctx;
    if (this.#stopped) return;
    const unsure = await store.endUnsure(db, clock.now());
    if (unsure > 0) {
      this.#count("unsure", unsure);
      log.warn({ mails: unsure }, "nobody knows whether these mails were sent; they are not sent again");
    }
    if (clock.monotonic() < this.#heldUntil) return;
    // After a failure one mail shows whether the server is back.
    const free = (this.#failures > 0 ? 1 : AT_ONCE) - this.#running.size;
    if (free <= 0) return;
    for (const id of await store.dueMails(db, clock.now(), free)) this.#begin(id);
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #begin(id: number): void {
    const work = this.#send(id)
      .catch((err: unknown) => this.#ctx.log.warn({ err, mailId: id }, "a mail could not be sent; it is tried again"))
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  async #send(id: number): Promise<void> {
    const ctx = this.#ctx;
    const taken = await takeMail(ctx, id);
    if (taken === null) return;
    const { row, letter } = taken;
    const { mailFrom: from, publicUrl } = ctx.config;
    if (from === null || publicUrl === null) return;
    const stationery = { from, publicUrl, siteName: await siteName(ctx), messageId: row.message_id };
    const bytes = await renderMail(letter, { ...stationery, now: ctx.clock.now() });
    const envelope = { from: from.address, to: letter.to, bytes };
    const outcome = await this.#connections.send(envelope, () => store.markHandingOver(ctx.db, row));
    // The claim was over: another node has the mail. Or the database may be closed: the mail is unsure then.
    if (outcome === null || this.#closed) return;
    this.#note(outcome);
    await transact(ctx, (ctx) => conclude(ctx, taken, outcome));
  }

  #count(kind: Outcome["kind"], count = 1): void {
    this.figures.outcomes.set(kind, (this.figures.outcomes.get(kind) ?? 0) + count);
  }

  /** Holds everything while the mail server fails, and ends that with its first answer to a mail. */
  #note(outcome: Outcome): void {
    this.#count(outcome.kind);
    if (outcome.kind !== "held") {
      if (this.figures.held !== null) this.#ctx.log.info({}, "the mail server takes mails again");
      this.#failures = 0;
      this.figures.held = null;
      return;
    }
    const { clock, log, timing } = this.#ctx;
    this.#failures++;
    this.#heldUntil = clock.monotonic() + holdAfter(this.#failures) / timing.jobRate;
    if (this.figures.held === null) log.error({ reason: outcome.reason }, "no mail can be sent; all mails wait");
    this.figures.held = outcome.reason;
  }
}

/** Writes down what became of a try. */
async function conclude(ctx: AppContext, { row, letter }: TakenMail, outcome: Outcome): Promise<void> {
  const now = ctx.clock.now();
  const { reason } = outcome;
  switch (outcome.kind) {
    case "sent":
      await isReachable(ctx, letter.to);
      return store.endMail(ctx.db, row, { state: "sent", reason: null, now });
    case "unsure":
      return store.endMail(ctx.db, row, { state: "unsure", reason, now });
    case "refused":
      if (outcome.isRecipients) await addRefusal(ctx, letter.to);
      return store.endMail(ctx.db, row, { state: "refused", reason, now });
    case "held":
      return store.putBack(ctx.db, row, { dueAt: row.due_at, reason, isCounted: false });
    case "later": {
      const [chance = 0] = ctx.clock.random(1);
      const dueAt = now + waitAfter(row.tries, chance / 255);
      if (dueAt >= row.expires_at) return store.endMail(ctx.db, row, { state: "expired", reason, now });
      return store.putBack(ctx.db, row, { dueAt, reason, isCounted: true });
    }
  }
}
