import { RedisClient } from "bun";

/** How long a connection may take to open. */
const CONNECT_MS = 5_000;

/** Redis did not answer, or there is no connection to it. */
export class RedisUnavailable extends Error {
  override readonly name = "RedisUnavailable";
}

/** True if Redis answered a command with an error; false if it did not answer. */
export const isRefusal = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && error.code === "ERR_REDIS_SERVER_ERROR";

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
      connectionTimeout: CONNECT_MS,
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

  /** Subscribes to topics; a link that subscribes can send nothing else. */
  async subscribe(topics: readonly string[], handler: TopicHandler): Promise<void> {
    if (topics.length === 0) return;
    await this.#client.subscribe(topics as string[], (payload, topic) => handler(topic, payload));
  }

  async unsubscribe(topics: readonly string[]): Promise<void> {
    if (topics.length > 0) await this.#client.unsubscribe(topics as string[]);
  }

  /** Closes the connection without calling `onClose`. */
  [Symbol.dispose](): void {
    this.#isOpen = false;
    this.#client.close();
  }
}
