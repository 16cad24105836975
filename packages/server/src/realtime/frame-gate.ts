import type { BrokerMessage } from "./broker/broker.ts";
import { isEverywhere } from "./topics.ts";

/**
 * The most that is held, as a number and in UTF-16 units. Beyond it an ephemeral event is dropped; a durable event drops
 * everything.
 */
const MESSAGES_MAX = 20_000;
const LENGTH_MAX = 16 * 1024 * 1024;

interface Held {
  topic: string;
  messages: readonly BrokerMessage[];
}

/**
 * Holds back the frames of this node while it does not trust its memory: a socket may belong to somebody who has lost
 * the right to hear them.
 */
export class FrameGate {
  readonly #isOpen: () => boolean;
  readonly #onFull: () => void;
  #held: Held[] = [];
  #count = 0;
  #length = 0;

  /** `onFull` is called when durable events were dropped: their receivers must come back and catch up. */
  constructor(isOpen: () => boolean, onFull: () => void) {
    this.#isOpen = isOpen;
    this.#onFull = onFull;
  }

  /** Returns true if the messages may be delivered now; else they are held. Control messages always pass. */
  passes(topic: string, messages: readonly BrokerMessage[]): boolean {
    if (this.#isOpen() || isEverywhere(topic)) return true;
    const length = messages.reduce((sum, { frame }) => sum + frame.length, 0);
    if (this.#count + messages.length <= MESSAGES_MAX && this.#length + length <= LENGTH_MAX) {
      this.#held.push({ topic, messages });
      this.#count += messages.length;
      this.#length += length;
    } else if (messages.some(({ seq }) => seq !== undefined)) {
      this.#take();
      this.#onFull();
    }
    return false;
  }

  /** Delivers the held messages, in order. */
  open(deliver: (topic: string, messages: readonly BrokerMessage[]) => void): void {
    for (const { topic, messages } of this.#take()) deliver(topic, messages);
  }

  #take(): Held[] {
    const held = this.#held;
    this.#held = [];
    this.#count = 0;
    this.#length = 0;
    return held;
  }
}
