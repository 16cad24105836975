import { RedisClient } from "bun";
import { answerWithin, RedisUnavailable } from "./redis-answer.ts";

/**
 * How long one step of a new connection may take: to open and to be greeted, or to answer a command that prepares it. A
 * server may fall silent after any of them, and a connection that waits for it carries nothing.
 */
export const STEP_MS = 2_000;

export type TopicHandler = (topic: string, payload: string) => void;

/**
 * One connection to a Redis or Valkey server. It never reconnects: the driver's own reconnection can leave a
 * subscription that hears nothing. For a lasting connection use `ReconnectingLink`.
 */
export class RedisLink implements Disposable {
  readonly #client: RedisClient;
  #isOpen = true;

  private constructor(client: RedisClient, onClose: (error: Error) => void) {
    this.#client = client;
    client.onclose = (error) => {
      if (!this.#isOpen) return;
      this.#isOpen = false;
      onClose(error);
    };
  }

  /** Connects. Rejects if the server cannot be reached or refuses the password. `onClose` is called at most once. */
  static async open(url: string, onClose: (error: Error) => void): Promise<RedisLink> {
    const client = new RedisClient(url, {
      autoReconnect: false,
      enableOfflineQueue: false,
      connectionTimeout: STEP_MS,
    });
    try {
      await client.connect();
    } catch (error) {
      client.close();
      throw error;
    }
    return new RedisLink(client, onClose);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Sends a command. Commands of one link are executed in the order they were sent. */
  send(command: string, args: readonly string[]): Promise<unknown> {
    if (!this.#isOpen) return Promise.reject(new RedisUnavailable("The connection to Redis is closed."));
    return this.#client.send(command, args as string[]);
  }

  /** Subscribes to topics; a link that subscribes can send nothing else. Rejects if that takes longer than 2 s. */
  async subscribe(topics: readonly string[], handler: TopicHandler): Promise<void> {
    if (topics.length === 0) return;
    const receive = (payload: string, topic: string) => handler(topic, payload);
    await answerWithin(this.#client.subscribe(topics as string[], receive), STEP_MS);
  }

  /** Ends the subscription to topics. Rejects if that takes longer than 2 s. */
  async unsubscribe(topics: readonly string[]): Promise<void> {
    if (topics.length > 0) await answerWithin(this.#client.unsubscribe(topics as string[]), STEP_MS);
  }

  /** Closes the connection without calling `onClose`. */
  [Symbol.dispose](): void {
    this.#isOpen = false;
    this.#client.close();
  }
}
