import { MemoryBus } from "../../../src/realtime/broker/broker.memory.ts";
import type { BrokerMessage } from "../../../src/realtime/broker/broker.ts";
import { CONTROL_TOPIC } from "../../../src/realtime/topics.ts";

type Deliver = (messages: readonly BrokerMessage[]) => void;

/** A delay that is longer than a feed waits for a missing event. */
const LATE_MS = 80;

/** A bus between nodes that loses, repeats, delays and so reorders what it carries, the same in every run. */
export class FaultyBus extends MemoryBus {
  /** `deaf` loses everything but control messages; `shuffling` treats the events of channels so, and loses some. */
  mode: "good" | "shuffling" | "deaf" = "shuffling";
  #state: number;

  constructor(seed: number) {
    super();
    this.#state = seed;
  }

  override carry(topic: string, messages: readonly BrokerMessage[], deliver: Deliver): void {
    const isLost = this.mode === "deaf" && topic !== CONTROL_TOPIC;
    if (this.mode === "shuffling" && topic.startsWith("c:")) {
      for (const message of messages) this.#shuffle(message, deliver);
    } else if (!isLost) deliver(messages);
  }

  #shuffle(message: BrokerMessage, deliver: Deliver): void {
    const chance = this.#below(20);
    if (chance < 2) return;
    const times = chance < 4 ? 2 : 1;
    for (let time = 0; time < times; time++) {
      const delay = chance < 14 ? 0 : this.#below(LATE_MS);
      if (delay === 0) deliver([message]);
      else setTimeout(() => deliver([message]), delay);
    }
  }

  #below(limit: number): number {
    this.#state = (this.#state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(this.#state / 65_536) % limit;
  }
}
