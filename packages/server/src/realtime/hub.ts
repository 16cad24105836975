import type { Broker, BrokerMessage } from "./broker/broker.ts";
import { CompactFrames } from "./compact-frames.ts";
import type { FrameGate } from "./frame-gate.ts";
import { channelOf, compactTopic, isChannelTopic } from "./topics.ts";

/** The part of Bun's server that the hub uses: its native topics. */
export interface TopicPublisher {
  publish(topic: string, frame: string): number;
  subscriberCount(topic: string): number;
}

export type HubListener = (messages: readonly BrokerMessage[]) => void;

/** Ends a `listen`. Once `ready` resolves, the broker passes the topic to this node. */
export type Listening = (() => void) & { readonly ready: Promise<void> };

/** Receives the number of frames sent to sockets, and whether one of the sockets has unsent bytes left. */
export type HubWatcher = (frames: number, isPressed: boolean) => void;

/** Takes sockets that read slowly out of a topic until the returned function is called. */
export type LeaveOut = (topic: string) => () => void;

/** The event that a slow reader misses: what it says can be read again. */
const SPARED = "stream:delta";

/** Frames for the sockets of a topic, and the first event in them. */
interface Publication {
  topic: string;
  event: string | undefined;
  frames: readonly string[];
  subscribers: number;
}

interface Interest {
  holders: number;
  ready: Promise<void>;
}

/**
 * Delivers frames inside one node: from the broker to the sockets that subscribed to the topic (Bun's native publish,
 * so a frame is written to each socket without JavaScript) and to listeners in this process (streams, long polls).
 *
 * It also counts the holders of each topic, so that a broker sends this node only topics with a listener.
 */
export class Hub {
  /** Makes the second form of the frames of channels. */
  readonly compactFrames = new CompactFrames();
  readonly #broker: Broker;
  readonly #onError: (error: unknown) => void;
  readonly #interest = new Map<string, Interest>();
  readonly #listeners = new Map<string, Set<HubListener>>();
  #sockets: TopicPublisher | null = null;
  #watcher: HubWatcher | null = null;
  #leaveOut: LeaveOut | null = null;
  #gate: FrameGate | null = null;
  #onHeld: ((topic: string) => void) | null = null;

  /** `onError` receives what a listener throws; the other listeners are still called. */
  constructor(broker: Broker, onError: (error: unknown) => void = throwLater) {
    this.#broker = broker;
    this.#onError = onError;
  }

  /** Sets the server whose sockets receive the topics. */
  attach(server: TopicPublisher): void {
    this.#sockets = server;
  }

  /** Lets the gate decide when frames may be delivered. */
  guard(gate: FrameGate): void {
    this.#gate = gate;
  }

  /** Delivers what the gate has held. */
  openGate(): void {
    this.#gate?.open((topic, messages) => this.#pass(topic, messages));
  }

  /**
   * Delivers the messages to all local receivers, in this turn of the loop, so that each socket is written once; or
   * when the gate opens.
   */
  deliver(topic: string, messages: readonly BrokerMessage[]): void {
    if (this.#gate === null || this.#gate.passes(topic, messages)) this.#pass(topic, messages);
  }

  #pass(topic: string, messages: readonly BrokerMessage[]): void {
    const sockets = this.#sockets;
    if (sockets !== null) {
      // A form without subscribers is not made: JavaScript joins the pieces of a frame's text only when it is read.
      const event = messages[0]?.event;
      const full = sockets.subscriberCount(topic);
      if (full > 0) {
        const frames = messages.map(({ frame }) => frame);
        this.#publish(sockets, { topic, event, frames, subscribers: full });
      }
      const shortTopic = isChannelTopic(topic) ? compactTopic(topic) : null;
      const short = shortTopic === null ? 0 : sockets.subscriberCount(shortTopic);
      if (shortTopic !== null && short > 0) {
        const frames = this.compactFrames.framesOf(messages);
        this.#publish(sockets, { topic: shortTopic, event, frames, subscribers: short });
      }
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

  #publish(sockets: TopicPublisher, { topic, event, frames, subscribers }: Publication): void {
    // Bun returns the worst result of all subscribers; below zero, one of them has not taken all it was sent.
    let isPressed = false;
    const restore = event === SPARED ? this.#leaveOut?.(topic) : undefined;
    for (const frame of frames) if (sockets.publish(topic, frame) < 0) isPressed = true;
    restore?.();
    this.#watcher?.(frames.length * subscribers, isPressed);
  }

  /**
   * Listens to a topic in this process until the returned function is called. Await its `ready` before reading the
   * state that the topic continues.
   */
  listen(topic: string, listener: HubListener): Listening {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners);
    // One wrapper per call: the same function may be registered, and removed, twice.
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

  /**
   * Adds a holder of the topic. Resolves once this node receives the topic. On rejection the caller must still release
   * it.
   */
  retain(topic: string): Promise<void> {
    const held = this.#interest.get(topic);
    if (held !== undefined) {
      held.holders += 1;
      return held.ready;
    }
    const ready = this.#broker.subscribe(topic);
    this.#interest.set(topic, { holders: 1, ready });
    this.#onHeld?.(topic);
    return ready;
  }

  /** Removes a holder; the last one ends this node's subscription. */
  release(topic: string): void {
    const held = this.#interest.get(topic);
    if (held === undefined) return;
    held.holders -= 1;
    if (held.holders > 0) return;
    this.#interest.delete(topic);
    if (isChannelTopic(topic)) this.compactFrames.forget(channelOf(topic));
    this.#broker.unsubscribe(topic).catch(this.#onError);
  }

  /** Sets the watcher of deliveries to sockets. */
  watch(watcher: HubWatcher): void {
    this.#watcher = watcher;
  }

  /** Sets how slow readers are left out of events that they can read again. */
  spareSlow(leaveOut: LeaveOut): void {
    this.#leaveOut = leaveOut;
  }

  /** Sets what is called with each topic that gets its first holder. */
  onHeld(handler: (topic: string) => void): void {
    this.#onHeld = handler;
  }

  /** The number of local holders of the topic: sockets, streams, feeds. */
  holders(topic: string): number {
    return this.#interest.get(topic)?.holders ?? 0;
  }

  /** The number of topics with a local holder. */
  get topics(): number {
    return this.#interest.size;
  }
}

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
