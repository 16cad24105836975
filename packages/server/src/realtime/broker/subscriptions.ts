import type { RedisLink, TopicHandler } from "../../redis/redis-link.ts";

/** How long a topic stays subscribed after its last holder left, because many return soon. */
const LINGER_MS = 30_000;
/** How long a holder waits for Redis. */
const PATIENCE_MS = 1_000;
/** Topics in one command. */
const BATCH_MAX = 5_000;

interface Topic {
  /** When the last holder left; null: it is held. */
  releasedAt: number | null;
  /** True once the link in use is subscribed to it. */
  isOn: boolean;
  /** The batch that subscribes to it. */
  batch: Batch | null;
}

/** Topics that are subscribed to by one command. */
interface Batch {
  topics: string[];
  done: Promise<void>;
  finish: () => void;
  /** True after its holders gave up waiting. */
  isLate: boolean;
}

interface Options {
  handler: TopicHandler;
  now: () => number;
  /** Receives topics whose holders gave up waiting, once they are subscribed to after all. */
  onLate: (topics: readonly string[]) => void;
  /** Called when a command fails or is not answered: the link has to be replaced, because topics are missing on it. */
  onFailed: (error: unknown) => void;
}

/**
 * The topics that one Redis server sends to this node. Topics of one turn of the event loop share a command, and one
 * command is under way at a time, so that unsubscribing and subscribing again cannot cross.
 */
export class Subscriptions {
  readonly #options: Options;
  readonly #topics = new Map<string, Topic>();
  #link: RedisLink | null = null;
  #next: Batch | null = null;
  #leaving: string[] = [];
  #isWorking = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Holds a topic. Resolves when it is subscribed to, after a second at the latest, and at once while there is no link.
   */
  hold(name: string): Promise<void> {
    let topic = this.#topics.get(name);
    if (topic === undefined) {
      topic = { releasedAt: null, isOn: false, batch: null };
      this.#topics.set(name, topic);
      if (this.#link !== null) this.#ask(name, topic);
    }
    topic.releasedAt = null;
    return topic.batch?.done ?? DONE;
  }

  release(name: string): void {
    const topic = this.#topics.get(name);
    if (topic !== undefined) topic.releasedAt = this.#options.now();
  }

  /** Subscribes a new link to all topics; from then on it is the one in use. Rejects if the link closes. */
  async attach(link: RedisLink): Promise<void> {
    this.detach();
    for (;;) {
      const missing = [...this.#topics].filter(([, { isOn }]) => !isOn).slice(0, BATCH_MAX);
      if (missing.length === 0) break;
      const names = missing.map(([name]) => name);
      await link.subscribe(names, this.#options.handler);
      for (const name of names) this.#turnOn(name);
    }
    this.#link = link;
  }

  /** The link is lost. */
  detach(): void {
    this.#link = null;
    this.#leaving = [];
    this.#next?.finish();
    this.#next = null;
    for (const topic of this.#topics.values()) {
      topic.isOn = false;
      topic.batch?.finish();
      topic.batch = null;
    }
  }

  /** Unsubscribes from topics that nobody has held for a while. */
  sweep(): void {
    const before = this.#options.now() - LINGER_MS;
    for (const [name, { releasedAt, isOn }] of this.#topics) {
      if (releasedAt === null || releasedAt > before) continue;
      this.#topics.delete(name);
      if (isOn) this.#leaving.push(name);
    }
    if (this.#leaving.length > 0) void this.#work();
  }

  get size(): number {
    return this.#topics.size;
  }

  #ask(name: string, topic: Topic): void {
    if (this.#next === null || this.#next.topics.length >= BATCH_MAX) {
      if (this.#next !== null) void this.#work();
      this.#next = newBatch();
      setImmediate(() => void this.#work());
    }
    this.#next.topics.push(name);
    topic.batch = this.#next;
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    try {
      for (let link = this.#link; link !== null; link = this.#link) {
        const [batch, leaving] = [this.#next, this.#leaving];
        if (batch === null && leaving.length === 0) break;
        this.#next = null;
        this.#leaving = [];
        await link.unsubscribe(leaving);
        if (batch !== null) await this.#subscribe(link, batch);
      }
    } catch (error) {
      // A closed link is replaced in any case, and the next one gets all topics.
      if (this.#link?.isOpen === true) this.#options.onFailed(error);
    } finally {
      this.#isWorking = false;
    }
  }

  async #subscribe(link: RedisLink, batch: Batch): Promise<void> {
    const timer = setTimeout(() => {
      batch.isLate = true;
      batch.finish();
    }, PATIENCE_MS);
    try {
      await link.subscribe(batch.topics, this.#options.handler);
    } finally {
      clearTimeout(timer);
      batch.finish();
    }
    if (link !== this.#link) return;
    for (const name of batch.topics) this.#turnOn(name);
    if (batch.isLate) this.#options.onLate(batch.topics);
  }

  #turnOn(name: string): void {
    const topic = this.#topics.get(name);
    if (topic === undefined) return;
    topic.isOn = true;
    topic.batch = null;
  }
}

function newBatch(): Batch {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { topics: [], done: promise, finish: resolve, isLate: false };
}

const DONE = Promise.resolve();
