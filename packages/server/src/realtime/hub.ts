import type { Broker, BusMessage } from "./broker.ts";

/** What the hub needs of Bun's server: its native topics. */
export interface TopicPublisher {
  publish(topic: string, frame: string): number;
  subscriberCount(topic: string): number;
}

export type HubListener = (messages: readonly BusMessage[]) => void;

/** Ends a `listen`. From `ready` on the broker passes the topic to this node. */
export type Listening = (() => void) & { readonly ready: Promise<void> };

/** Told how many frames went to sockets, and whether one of these has not taken all it was sent. */
export type HubWatcher = (frames: number, isPressed: boolean) => void;

interface Interest {
  holders: number;
  ready: Promise<void>;
}

/**
 * The last step of a frame inside one node: from the broker to the sockets that subscribed to its topic (Bun's native publish,
 * so a frame is written to each socket without a line of JavaScript) and to listeners in this process (streams, long polls).
 *
 * It also counts who here is interested in a topic, so that a bus carries to this node only what somebody hears.
 */
export class Hub {
  readonly #broker: Broker;
  readonly #onError: (error: unknown) => void;
  readonly #interest = new Map<string, Interest>();
  readonly #listeners = new Map<string, Set<HubListener>>();
  #sockets: TopicPublisher | null = null;
  #watcher: HubWatcher | null = null;

  /** `onError` hears what a listener throws; the others are served all the same. */
  constructor(broker: Broker, onError: (error: unknown) => void = throwLater) {
    this.#broker = broker;
    this.#onError = onError;
  }

  /** Sets the server whose sockets hear the topics. */
  attach(server: TopicPublisher): void {
    this.#sockets = server;
  }

  /** Hands the messages to everyone here. All in this turn of the loop, so that each socket is written once. */
  deliver(topic: string, messages: readonly BusMessage[]): void {
    const sockets = this.#sockets;
    const subscribers = sockets?.subscriberCount(topic) ?? 0;
    // A frame nobody hears is not even put together: its text is parts until somebody reads it.
    if (sockets !== null && subscribers > 0) {
      // Bun tells the worst of all subscribers; below zero one of them has not taken all it was sent.
      let isPressed = false;
      for (const message of messages) if (sockets.publish(topic, message.frame) < 0) isPressed = true;
      this.#watcher?.(messages.length * subscribers, isPressed);
    }
    const listeners = this.#listeners.get(topic);
    if (listeners === undefined) return;
    for (const listener of [...listeners]) {
      try {
        listener(messages);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  /** Hears a topic in this process until the answer is called. Await its `ready` before reading what the topic continues. */
  listen(topic: string, listener: HubListener): Listening {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners);
    // A wrapper of its own for each call: the same function may listen twice and be ended twice.
    const own: HubListener = (messages) => listener(messages);
    listeners.add(own);
    const ready = this.retain(topic);
    ready.catch(() => {});
    const stop = () => {
      if (!listeners.delete(own)) return;
      if (listeners.size === 0 && this.#listeners.get(topic) === listeners) this.#listeners.delete(topic);
      this.release(topic);
    };
    return Object.assign(stop, { ready });
  }

  /** Counts one more holder of the topic. Resolved: this node hears it. Rejected: the holder is still to be released. */
  retain(topic: string): Promise<void> {
    const held = this.#interest.get(topic);
    if (held !== undefined) {
      held.holders += 1;
      return held.ready;
    }
    const ready = this.#broker.subscribe(topic);
    this.#interest.set(topic, { holders: 1, ready });
    return ready;
  }

  /** Gives one holder back; the last one ends this node's subscription. */
  release(topic: string): void {
    const held = this.#interest.get(topic);
    if (held === undefined) return;
    held.holders -= 1;
    if (held.holders > 0) return;
    this.#interest.delete(topic);
    this.#broker.unsubscribe(topic).catch(this.#onError);
  }

  /** Sets who is told of every delivery to sockets. */
  watch(watcher: HubWatcher): void {
    this.#watcher = watcher;
  }

  /** How many here hold the topic: sockets, streams, feeds. */
  holders(topic: string): number {
    return this.#interest.get(topic)?.holders ?? 0;
  }

  /** Topics somebody here holds. */
  get topics(): number {
    return this.#interest.size;
  }
}

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
