import { createHash } from "node:crypto";
import { systemClock } from "../clock.ts";
import { redisName } from "../config/redis.ts";
import { StartupError } from "../db/startup-error.ts";
import { usualTiming } from "../timing.ts";
import { infoProblem, inspectRedis, refusalProblem } from "./inspect.ts";
import { ReconnectingLink } from "./reconnecting-link.ts";
import { answerWithin, isRefusal, RedisUnavailable } from "./redis-answer.ts";
import { type RedisLink, STEP_MS } from "./redis-link.ts";

/** How long a command may take unless its caller says otherwise. */
const COMMAND_MS = 100;
/** The timeout of a script for which the caller waits only briefly, in milliseconds: a late answer is still read. */
const GIVE_UP_MS = 5_000;
/** Refused commands are reported once in this time. */
const REFUSED_MS = 60_000;

/** Called when the connection to a server is lost, and when it is back, once each per outage. */
export interface OutageHandlers {
  onDown: (shard: RedisShard, error: unknown) => void;
  onBack?: (shard: RedisShard) => void;
  /** The server refuses commands, as one that is full does. Called at most once a minute, with what to do. */
  onRefused?: (shard: RedisShard, advice: string) => void;
}

/** A Lua script, sent once per server and then called by its hash. */
export class RedisScript {
  readonly text: string;
  readonly hash: string;

  constructor(text: string) {
    this.text = text;
    this.hash = createHash("sha1").update(text).digest("hex");
  }
}

/** One of the Redis servers of a cluster. */
export class RedisShard implements Disposable {
  /** Host and port. */
  readonly name: string;
  readonly url: string;
  /** How often a lost connection was replaced. */
  reconnects = 0;
  readonly #kept: ReconnectingLink;
  readonly #upHandlers: (() => void)[] = [];
  /** During an outage: resolves when it was reported. */
  #reported: Promise<void> | null = null;
  #refusedAt = Number.NEGATIVE_INFINITY;
  readonly #onRefused: OutageHandlers["onRefused"];
  readonly #briefMs: number;

  constructor(url: string, { onDown, onBack, onRefused }: OutageHandlers, briefMs: number) {
    this.#onRefused = onRefused;
    this.#briefMs = briefMs;
    this.url = url;
    this.name = redisName(url);
    let isFirst = true;
    this.#kept = new ReconnectingLink({
      url,
      prepare: (link) => this.#verify(link),
      onUp: () => {
        if (isFirst) isFirst = false;
        else this.reconnects++;
        void this.#reported?.then(() => onBack?.(this));
        this.#reported = null;
        for (const handler of this.#upHandlers) handler();
      },
      onDown: (error) => {
        this.#reported = this.#report(error, onDown);
      },
    });
  }

  /** Connects. Resolves after the first attempt; if it failed, others follow. */
  start(): Promise<void> {
    return this.#kept.start();
  }

  /** Replaces the connection, because it no longer works. */
  replace(reason: string): void {
    this.#kept.replace(reason);
  }

  /**
   * Rejects if the server does not answer, or can no longer serve: an address may lead to a replica after a failover.
   */
  async #verify(link: RedisLink): Promise<void> {
    const info = await answerWithin(link.send("INFO", []), STEP_MS).catch((error: unknown) => {
      if (isRefusal(error)) return ""; // its user may not ask
      throw error;
    });
    const problem = infoProblem(this.name, String(info));
    if (problem !== null && !problem.isTolerable) throw new RedisUnavailable(problem.text);
  }

  /** Reports an outage with its cause, which the driver hides. */
  async #report(error: unknown, onDown: OutageHandlers["onDown"]): Promise<void> {
    const { problem } = await inspectRedis(this.url);
    if (this.#kept.isClosed) return;
    onDown(this, problem === null ? error : new RedisUnavailable(problem.text));
  }

  get isUp(): boolean {
    return this.#kept.link !== null;
  }

  /** The link for commands; null while there is none. Publications share it, so that they keep their order. */
  get link(): RedisLink | null {
    return this.#kept.link;
  }

  /** Calls the handler whenever a lost connection was replaced: the server may have lost its data. */
  onUp(handler: () => void): void {
    this.#upHandlers.push(handler);
  }

  /**
   * Sends a command. Rejects with `RedisUnavailable` at once while there is no connection, and after `timeoutMs`; the
   * command may still be executed then.
   */
  send(command: string, args: readonly (string | number)[], timeoutMs = COMMAND_MS): Promise<unknown> {
    const link = this.#kept.link;
    if (link === null) return Promise.reject(new RedisUnavailable(`There is no connection to Redis at ${this.name}.`));
    return within(link.send(command, args.map(String)), timeoutMs, this.name, (error) => this.#reportRefusal(error));
  }

  /** Runs a script. Rejects as `send` does. */
  async run(
    script: RedisScript,
    keys: readonly string[],
    args: readonly (string | number)[],
    timeoutMs = COMMAND_MS,
  ): Promise<unknown> {
    const rest = [keys.length, ...keys, ...args];
    try {
      return await this.send("EVALSHA", [script.hash, ...rest], timeoutMs);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return this.send("EVAL", [script.text, ...rest], timeoutMs);
    }
  }

  /**
   * Runs a script, and rejects with `RedisUnavailable` when the caller should decide by itself. The script may still be
   * executed then, and a refusal of it is still reported.
   */
  runBriefly(script: RedisScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    return answerWithin(this.run(script, keys, args, GIVE_UP_MS), this.#briefMs);
  }

  #reportRefusal(error: unknown): void {
    if (!isRefusal(error) || isUnknownScript(error)) return;
    const now = systemClock.monotonic();
    if (now - this.#refusedAt < REFUSED_MS) return;
    this.#refusedAt = now;
    this.#onRefused?.(this, refusalProblem(this.name, error.message).text);
  }

  [Symbol.dispose](): void {
    this.#kept[Symbol.dispose]();
  }
}

/**
 * The Redis servers of a cluster: independent primaries, each with a part of the topics and keys. Which one holds a key
 * depends only on the servers' names, so all nodes with the same list agree.
 */
export class RedisShards implements Disposable {
  readonly shards: readonly RedisShard[];
  /** The beginning of every key and topic. It contains the epoch, so restored data never meets older keys. */
  readonly prefix: string;

  /** `briefMs`: how long `runBriefly` waits. */
  constructor(
    urls: readonly string[],
    { epoch, briefMs = usualTiming.redisAnswerMs, ...handlers }: OutageHandlers & { epoch: string; briefMs?: number },
  ) {
    this.prefix = `parley:${epoch}:`;
    this.shards = urls.map((url) => new RedisShard(url, handlers, briefMs));
  }

  /**
   * Connects to all servers. Rejects with a `StartupError` if one can never serve as it is set up: a wrong password, a
   * replica, a policy that evicts. One that does not answer is connected to later: a node must be able to start, and to
   * serve from the database, while Redis is away.
   */
  async start(): Promise<void> {
    const reports = await Promise.all(this.shards.map(({ url }) => inspectRedis(url)));
    const problems = reports.flatMap(({ problem }) => (problem?.isLasting ? [problem.text] : []));
    if (problems.length > 0) throw new StartupError(problems.join(" "));
    await Promise.all(this.shards.map((shard) => shard.start()));
  }

  /** The list of the servers, the same on all nodes that agree. */
  get names(): string {
    return this.shards
      .map(({ name }) => name)
      .sort()
      .join(",");
  }

  /** Returns the key that is there while Redis hears a node (gateway/shared-sockets.ts), on each server. */
  aliveKey(nodeId: string): string {
    return `${this.prefix}alive ${nodeId}`;
  }

  /** Returns the server of a key, by rendezvous hashing: another server in the list moves only its own share. */
  shardOf(key: string): RedisShard {
    const [first] = this.shards;
    if (first === undefined) throw new Error("A cluster has at least one Redis server.");
    if (this.shards.length === 1) return first;
    let best = first;
    let highest = -1n;
    for (const shard of this.shards) {
      const weight = Bun.hash.xxHash64(`${shard.name} ${key}`);
      if (weight > highest) [best, highest] = [shard, weight];
    }
    return best;
  }

  [Symbol.dispose](): void {
    for (const shard of this.shards) shard[Symbol.dispose]();
  }
}

const isUnknownScript = (error: unknown): boolean => error instanceof Error && error.message.startsWith("NOSCRIPT");

function within<T>(work: Promise<T>, ms: number, name: string, onError: (error: unknown) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new RedisUnavailable(`Redis at ${name} did not answer in ${ms} ms.`)), ms);
    const failed = (error: unknown) => {
      onError(error);
      reject(error);
    };
    work.then(resolve, failed).finally(() => clearTimeout(timer));
  });
}
