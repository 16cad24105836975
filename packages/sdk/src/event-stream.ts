import type { EventData, EventName } from "@parley/protocol/events";
import { BACKOFF, type Backoff, isAborted, pause, RESTART_SPREAD_MS, waitMs } from "./backoff.ts";
import { isErrorBody, ParleyError } from "./errors.ts";
import type { Http } from "./http.ts";
import type { RequestOptions } from "./request-options.ts";
import { readEvents, type SseEvent } from "./server-sent-events.ts";

/**
 * An event of an agent's stream. `channel:reset`: more was missed than is replayed; read the messages from your
 * position; with `history_extended` some of them come from an import and are not new. `reset`: the same for mentions; read them with `mentions`. `id` is the stream's position at the event
 * (`StreamOptions.lastEventId`); ephemeral events have none.
 */
export type AgentEvent = (
  | { [N in EventName]: { event: N; data: EventData<N> } }[EventName]
  | { event: "channel:reset"; data: { channel_id: number; seq: number; recovered: false; history_extended?: true } }
  | { event: "reset"; data: { reason: "mentions" } }
) & { id?: string | undefined };

/** `signal` ends the stream. `maxRetries` limits attempts to reconnect in a row; not limited by default. */
export interface StreamOptions extends RequestOptions {
  /**
   * The position of an earlier run: the `id` of its last event that has one; or `<channel_id>:<seq>`, to start after a
   * message.
   */
  lastEventId?: string | undefined;
  backoff?: Backoff | undefined;
}

/** The server sends a heartbeat every 15 s; a stream silent for longer than this is dead. */
const SILENT_MS = 45_000;
/** Number of mentions remembered to detect repeats. */
const MENTIONS_KEPT = 2_000;

/**
 * Yields the agent's events and resumes after every disconnect.
 *
 * Promise: the durable events of each channel arrive in order of `seq`, without duplicates, and without gaps except
 * after a `channel:reset`; a mention arrives once, and none is missed except after a `reset`. Permanent errors (a
 * revoked key) are thrown.
 */
export async function* agentEvents(http: Http, options: StreamOptions = {}): AsyncGenerator<AgentEvent, void> {
  const { lastEventId, backoff = BACKOFF, maxRetries = Number.POSITIVE_INFINITY, ...request } = options;
  const { signal } = request;
  const progress = new Progress(lastEventId);
  for (let attempt = 0; !isAborted(signal); attempt += 1) {
    let spreadMs: number | null = null;
    let problem: unknown = new ParleyError("connection_lost", "The stream ended.");
    try {
      for await (const item of connect(http, progress.lastEventId, request)) {
        attempt = 0;
        if (item?.event === "stream:end") throw endOf(item.data);
        const event = item === null ? null : progress.take(item);
        // An older server names no time.
        if (event?.event === "server:draining") spreadMs = event.data.retry_within_ms ?? RESTART_SPREAD_MS;
        if (event !== null) yield event;
      }
    } catch (error) {
      if (!isAborted(signal) && error instanceof ParleyError && !isTemporary(error)) throw error;
      problem = error;
    }
    if (isAborted(signal)) return;
    if (attempt >= maxRetries) throw problem;
    const chance = Math.random();
    await pause(
      spreadMs === null ? waitMs(attempt, backoff, chance) : Math.min(spreadMs, backoff.maxMs) * chance,
      signal,
    );
  }
}

/** One connection of the stream. Ends with it, with the signal, or when it falls silent; throws when it breaks. */
async function* connect(http: Http, lastEventId: string | null, { signal, ...request }: RequestOptions) {
  const over = new AbortController();
  const end = () => over.abort(signal?.reason);
  const restart = () => setTimeout(() => over.abort(), SILENT_MS);
  let timer = restart();
  signal?.addEventListener("abort", end);
  if (isAborted(signal)) end();
  try {
    const headers: Record<string, string> = lastEventId === null ? {} : { "last-event-id": lastEventId };
    const body = await http.stream(
      { method: "GET", path: "/api/agenthub/events", headers },
      // The caller reconnects.
      { ...request, maxRetries: 0, signal: over.signal },
    );
    for await (const item of readEvents(body, over.signal)) {
      clearTimeout(timer);
      timer = restart();
      yield item;
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
    over.abort();
  }
}

/** The stream's current position. */
class Progress {
  readonly #seqs = new Map<number, number>();
  readonly #mentions = new Set<number>();
  lastEventId: string | null;
  /** The epoch that the numbers belong to; undefined: unknown. */
  #epoch: string | undefined;

  constructor(lastEventId: string | undefined) {
    this.lastEventId = lastEventId ?? null;
    this.#epoch = epochOf(lastEventId);
    for (const [, channelId, seq] of (lastEventId ?? "").matchAll(/(\d+):(\d+)/g)) {
      this.#seqs.set(Number(channelId), Number(seq));
    }
  }

  /** Returns the event, or null for a duplicate or a frame that is no event. */
  take({ event, id, data }: SseEvent): AgentEvent | null {
    if (id !== undefined) this.#stand(id);
    if (data === null) return null;
    const item = { event, data: JSON.parse(data), ...(id === undefined ? {} : { id }) } as AgentEvent;
    if (item.event === "mention:new") return this.#takeMention(item);
    if (!("seq" in item.data)) return item;
    const { channel_id, seq } = item.data;
    const isReset = item.event === "channel:reset";
    if (!isReset && seq <= (this.#seqs.get(channel_id) ?? 0)) return null;
    this.#seqs.set(channel_id, seq);
    return item;
  }

  /** A restore reassigns numbers: an event with a known number may be a different one. */
  #stand(id: string): void {
    this.lastEventId = id;
    const epoch = epochOf(id);
    if (this.#epoch !== undefined && this.#epoch !== epoch) {
      this.#seqs.clear();
      this.#mentions.clear();
    }
    this.#epoch = epoch;
  }

  #takeMention(item: Extract<AgentEvent, { event: "mention:new" }>): AgentEvent | null {
    const messageId = item.data.chat_message.id;
    if (this.#mentions.has(messageId)) return null;
    this.#mentions.add(messageId);
    if (this.#mentions.size > MENTIONS_KEPT) {
      for (const oldest of this.#mentions) {
        this.#mentions.delete(oldest);
        break;
      }
    }
    return item;
  }
}

const epochOf = (id: string | undefined): string | undefined => id?.split("/")[1];

/** Returns whether a retry can help. */
const isTemporary = ({ status, retryable }: ParleyError): boolean => retryable || status >= 500;

function endOf(data: string | null): ParleyError {
  const body: unknown = JSON.parse(data ?? "null");
  // The frame has no HTTP status; 401 makes the error permanent.
  return isErrorBody(body) ? ParleyError.fromBody(body, 401) : new ParleyError("invalid_answer", "The stream ended.");
}
