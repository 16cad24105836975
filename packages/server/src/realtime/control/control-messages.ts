import { type AppContext, perServer } from "../../context.ts";
import type { BrokerMessage } from "../broker/broker.ts";
import { CONTROL_TOPIC } from "../topics.ts";
import { Confirmations } from "./confirmations.ts";
import type { ControlPosition } from "./control-position.ts";
import { type ControlKind, type ControlSubjects, readSubject } from "./control-subjects.ts";

/** A control message. */
export interface ControlMessage {
  readonly kind: string;
  readonly subject: string;
  /** Its row in the log. Absent: it is in no log, and may be handled more than once. */
  id?: number;
  /** True if its sender waits until every node has handled it. */
  isAwaited?: boolean;
}

/**
 * Separates kind, row and, if it is awaited, the sender's address in the name of a message. The row is not its `seq`:
 * the broker would leave out the contents of a large message that has one.
 */
const PART = "!";

/** Receives the subject as `readSubject` returns it for its kind. */
type Handler = (subject: ControlSubjects[ControlKind]) => unknown;

/** Receives the control messages of this node and hands each one to its handlers, once if it has a row. */
class ControlMessages {
  readonly #ctx: AppContext;
  readonly #handlers = new Map<string, Handler[]>();
  readonly #losers: (() => void)[] = [];
  readonly #confirmations: Confirmations | null;
  /** The unfinished work of a row's handlers, by its id. */
  readonly #running = new Map<number, Promise<unknown>>();
  /** null until the log is first read; no state in memory is older. */
  position: ControlPosition | null = null;

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
    this.#confirmations = ctx.cluster === null ? null : new Confirmations(ctx, ctx.cluster);
    ctx.onClose(ctx.hub.listen(CONTROL_TOPIC, (messages) => this.#receive(messages)));
    ctx.cluster?.onRejoined(() => this.lose());
  }

  on<K extends ControlKind>(kind: K, handler: (subject: ControlSubjects[K]) => unknown): void {
    this.#handlers.set(kind, [...(this.#handlers.get(kind) ?? []), handler as Handler]);
  }

  onLost(forget: () => void): void {
    this.#losers.push(forget);
  }

  /** Forgets everything that control messages keep right. */
  lose(): void {
    for (const forget of this.#losers) this.#guarded("everything", () => forget());
  }

  /** Publishes the message to all nodes. The handlers of this node have been called when it returns. */
  publish(message: ControlMessage): void {
    const { broker } = this.#ctx;
    const { kind, subject, id } = message;
    if (this.#confirmations === null) {
      broker.publish(CONTROL_TOPIC, [{ event: kind, frame: subject }]);
      return;
    }
    if (id !== undefined) this.take(message);
    const sender = message.isAwaited === true ? this.#confirmations.address : "";
    const event = [kind, id ?? "", sender].join(PART);
    broker.publishEverywhere(CONTROL_TOPIC, [{ event, frame: subject }]);
  }

  /** Resolves when every other node has handled the messages, at the latest after a second. Never rejects. */
  async confirmed(messages: readonly ControlMessage[]): Promise<void> {
    const ids = messages.flatMap(({ id }) => id ?? []);
    await Promise.all([...ids.map((id) => this.#running.get(id)), this.#confirmations?.of(ids)]);
  }

  /** Resolves when all handlers that run now are done. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** Handles a row unless it was handled before. */
  take({ kind, subject, id }: ControlMessage): void {
    const { position } = this;
    if (id !== undefined && position !== null && !position.take(id, this.#ctx.clock.monotonic())) return;
    const work = this.#dispatch(kind, subject);
    if (id === undefined || work === undefined) return;
    this.#running.set(id, work);
    void work.then(() => this.#running.delete(id));
  }

  #receive(messages: readonly BrokerMessage[]): void {
    for (const { event, frame } of messages) {
      const [kind = "", row = "", sender = ""] = event.split(PART);
      const id = row === "" ? undefined : Number(row);
      this.take({ kind, subject: frame, ...(id === undefined ? {} : { id }) });
      if (sender === "" || id === undefined) continue;
      const work = this.#running.get(id);
      if (work === undefined) this.#confirmations?.confirm(sender, id);
      else void work.then(() => this.#confirmations?.confirm(sender, id));
    }
  }

  #dispatch(kind: string, text: string): Promise<unknown> | undefined {
    const handlers = this.#handlers.get(kind);
    if (handlers === undefined) return undefined;
    // Only kinds of this release have handlers.
    const subject = readSubject(kind as ControlKind, text);
    if (subject === null) {
      this.#ctx.log.warn({ kind, text }, "another release wrote what this one cannot read; forgetting what is cached");
      // It may take a right away that is remembered here.
      this.lose();
      return undefined;
    }
    const work: Promise<unknown>[] = [];
    for (const handler of handlers) {
      this.#guarded(kind, () => {
        const done = handler(subject);
        if (done instanceof Promise) work.push(done.catch((error: unknown) => this.#failed(kind, error)));
      });
    }
    return work.length === 0 ? undefined : Promise.all(work);
  }

  #guarded(kind: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#failed(kind, error);
    }
  }

  #failed(kind: string, error: unknown): void {
    this.#ctx.log.error({ err: error, kind }, "a control handler failed");
  }
}

/** The control messages of this server. */
export const controlMessages = perServer((ctx) => new ControlMessages(ctx));
