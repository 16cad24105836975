import { type Backoff, isAborted } from "./backoff.ts";
import type { AgentItem, InboxReader } from "./inbox-reader.ts";
import { isTemporary, pauseAfter } from "./retry.ts";

/** The fate of an item that could not be handled. It stays in the inbox unless it is acknowledged. */
export type FailureVerdict = "acknowledge" | "keep";

export interface RunHandlers {
  /** How many items are handled at once, at most one of each channel. Default 4. */
  concurrency?: number | undefined;
  /**
   * Handles an item, which is acknowledged when the promise resolves. The signal is aborted when the run ends, and when a
   * person stops the agent where it works on the item; that acknowledges the item, however its handling ends.
   */
  onItem(item: AgentItem, context: { signal: AbortSignal }): Promise<unknown> | unknown;
  /**
   * Decides about an item whose handling failed and cannot succeed by a retry. `keep` (the default) leaves it for the
   * next run. Without `onError`, the run ends and throws the error.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: A function that only logs, and returns nothing, may be passed.
  onError?(error: unknown, item: AgentItem): Promise<FailureVerdict | void> | FailureVerdict | void;
}

interface Parts extends RunHandlers {
  reader: InboxReader;
  /** Removes an item from the inbox, however long that takes. */
  acknowledge(item: AgentItem): Promise<void>;
  /** Ends the run; also aborted by it when it fails. */
  stop: AbortController;
  backoff: Backoff;
  maxRetries: number;
}

/** Items in memory, beyond which nothing more is read. */
const QUEUED_MAX = 1_000;

/** Handles the items of an inbox. See `AgentClient.run`. */
export class InboxRun {
  readonly #parts: Parts;
  readonly #signal: AbortSignal;
  /** The items of each channel that wait or are being handled, in order. */
  readonly #queues = new Map<number, AgentItem[]>();
  readonly #workers = new Set<Promise<void>>();
  /** The items that are being handled, and how to stop each. */
  readonly #handled = new Map<AgentItem, AbortController>();
  #queued = 0;
  #free: number;
  #waiting: (() => void)[] = [];
  #shrunk = () => {};
  #failure: { error: unknown } | null = null;

  constructor(parts: Parts) {
    const { concurrency = 4 } = parts;
    if (!(Number.isInteger(concurrency) && concurrency >= 1)) throw new RangeError("concurrency must be 1 or more");
    this.#parts = parts;
    this.#signal = parts.stop.signal;
    this.#free = concurrency;
    this.#signal.addEventListener("abort", () => this.#shrunk(), { once: true });
  }

  /** Resolves after the abort, when the handlers that ran have ended. */
  async run(): Promise<void> {
    try {
      for await (const item of this.#parts.reader.items()) {
        this.#add(item);
        while (this.#queued >= QUEUED_MAX && !isAborted(this.#signal)) await this.#room();
      }
    } catch (error) {
      this.#fail(error);
    }
    await Promise.all(this.#workers);
    if (this.#failure !== null) throw this.#failure.error;
  }

  /** Resolves when an item was handled, or at the abort. */
  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#shrunk = resolve;
    });
  }

  #add(item: AgentItem): void {
    this.#queued += 1;
    for (const [handled, stop] of this.#handled)
      if (stops(item, handled)) stop.abort(new Error("A person stopped it."));
    // Items without a channel have an order of their own.
    const channel = item.channel_id ?? 0;
    const queue = this.#queues.get(channel);
    if (queue !== undefined) {
      queue.push(item);
      return;
    }
    const started = [item];
    this.#queues.set(channel, started);
    const worker = this.#drain(channel, started)
      .catch((error) => this.#fail(error))
      .finally(() => this.#workers.delete(worker));
    this.#workers.add(worker);
  }

  /** Handles the items of a channel one after the other. One that is retried delays only its own channel. */
  async #drain(channel: number, queue: AgentItem[]): Promise<void> {
    for (let item = queue[0]; item !== undefined && !isAborted(this.#signal); item = queue[0]) {
      await this.#handle(item);
      queue.shift();
      this.#queued -= 1;
      this.#shrunk();
    }
    this.#queues.delete(channel);
  }

  async #handle(item: AgentItem): Promise<void> {
    const { backoff, maxRetries, onError } = this.#parts;
    for (let attempt = 0; !isAborted(this.#signal); attempt += 1) {
      const failure = await this.#attempt(item);
      if (failure === null) return this.#acknowledge(item);
      // An item whose handling was aborted has not failed.
      if (isAborted(this.#signal)) return;
      if (isTemporary(failure.error) && attempt < maxRetries) {
        await pauseAfter(failure.error, attempt, backoff, this.#signal);
        continue;
      }
      if (onError === undefined) throw failure.error;
      if ((await onError(failure.error, item)) === "acknowledge") await this.#acknowledge(item);
      return;
    }
  }

  /** Calls the handler once, when fewer than `concurrency` run. Returns why it failed; null if it did not. */
  async #attempt(item: AgentItem): Promise<{ error: unknown } | null> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const stop = new AbortController();
    this.#handled.set(item, stop);
    try {
      if (isAborted(this.#signal)) return { error: this.#signal.reason };
      await this.#parts.onItem(item, { signal: AbortSignal.any([this.#signal, stop.signal]) });
      return null;
    } catch (error) {
      return stop.signal.aborted ? null : { error };
    } finally {
      this.#handled.delete(item);
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  async #acknowledge(item: AgentItem): Promise<void> {
    await this.#parts.acknowledge(item);
    this.#parts.reader.acknowledged(item);
  }

  /** Ends the run with the first error. */
  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#parts.stop.abort();
  }
}

/** True if an item says that a person has stopped what the agent does for another one. */
function stops({ kind, channel_id, notice }: AgentItem, handled: AgentItem): boolean {
  if (kind !== "notice" || notice?.type !== "stopped" || channel_id !== handled.channel_id) return false;
  const root = notice.details?.thread_root_id ?? null;
  const message = handled.chat_message;
  if (message === null) return false;
  return root === message.id || root === message.thread_root_id;
}
