import type { Broker, BrokerHandler, BrokerMessage } from "./broker.ts";

/** Connects the memory brokers of one process: one on a lone server, several in tests of clusters. */
export class MemoryBus {
  readonly nodes = new Set<MemoryBroker>();
  #isDoubtful = false;

  get isDoubtful(): boolean {
    return this.#isDoubtful;
  }

  /** Makes every broker of this bus doubt it, or trust it again; for tests. */
  set isDoubtful(isDoubtful: boolean) {
    if (this.#isDoubtful === isDoubtful) return;
    this.#isDoubtful = isDoubtful;
    for (const node of this.nodes) node.healthChanged();
  }

  /** Carries messages to another node: at once and whole. A test's bus may lose, repeat, reorder and delay them. */
  carry(_topic: string, messages: readonly BrokerMessage[], deliver: BrokerDelivery): void {
    deliver(messages);
  }
}

type BrokerDelivery = (messages: readonly BrokerMessage[]) => void;

/** The broker of a lone server: a direct call. Frames reach the handler in order, before `publish` returns. */
export class MemoryBroker implements Broker {
  readonly #topics = new Set<string>();
  readonly #bus: MemoryBus;
  readonly #onError: (error: unknown) => void;
  readonly #healthHandlers: (() => void)[] = [];
  #handler: BrokerHandler | null = null;

  /** `onError` receives what a handler throws; the publisher never does. */
  constructor(options: { bus?: MemoryBus; onError?: (error: unknown) => void } = {}) {
    this.#bus = options.bus ?? new MemoryBus();
    this.#onError = options.onError ?? throwLater;
    this.#bus.nodes.add(this);
  }

  publish(topic: string, messages: readonly BrokerMessage[]): void {
    if (messages.length === 0 || !this.#bus.nodes.has(this)) return;
    for (const node of this.#bus.nodes) {
      if (node === this) node.#receive(topic, messages);
      else this.#bus.carry(topic, messages, (carried) => node.#receive(topic, carried));
    }
  }

  publishEverywhere(topic: string, messages: readonly BrokerMessage[]): void {
    this.publish(topic, messages);
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

  /** This broker carries everything. */
  onGap(): void {}

  isDoubtful(): boolean {
    return this.#bus.isDoubtful;
  }

  onHealth(handler: () => void): void {
    this.#healthHandlers.push(handler);
  }

  /** Called by the bus. */
  healthChanged(): void {
    for (const handler of this.#healthHandlers) handler();
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
