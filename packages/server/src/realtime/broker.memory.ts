import type { Broker, BrokerHandler, BrokerMessage } from "./broker.ts";

/** Connects the memory brokers of one process: one node in production, several in a cluster test. */
export class MemoryBus {
  readonly nodes = new Set<MemoryBroker>();
}

/** The broker of a single server: a direct call. Frames reach the handler in order, before `publish` returns. */
export class MemoryBroker implements Broker {
  readonly #topics = new Set<string>();
  readonly #bus: MemoryBus;
  readonly #onError: (error: unknown) => void;
  #handler: BrokerHandler | null = null;

  /** `onError` receives what a handler throws; the publisher never does. */
  constructor(options: { bus?: MemoryBus; onError?: (error: unknown) => void } = {}) {
    this.#bus = options.bus ?? new MemoryBus();
    this.#onError = options.onError ?? throwLater;
    this.#bus.nodes.add(this);
  }

  publish(topic: string, messages: readonly BrokerMessage[]): void {
    if (messages.length === 0 || !this.#bus.nodes.has(this)) return;
    for (const node of this.#bus.nodes) node.#receive(topic, messages);
  }

  subscribe(topic: string): Promise<void> {
    this.#topics.add(topic);
    return DONE;
  }

  unsubscribe(topic: string): Promise<void> {
    this.#topics.delete(topic);
    return DONE;
  }

  onMessages(handler: BrokerHandler): void {
    this.#handler = handler;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#bus.nodes.delete(this);
    this.#topics.clear();
    this.#handler = null;
  }

  #receive(topic: string, messages: readonly BrokerMessage[]): void {
    if (this.#handler === null || !this.#topics.has(topic)) return;
    try {
      this.#handler(topic, messages);
    } catch (error) {
      this.#onError(error);
    }
  }
}

const DONE = Promise.resolve();

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
