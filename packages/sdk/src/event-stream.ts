import type { EventData, EventName } from "@parley/protocol/events";
import { BACK_OFF, type BackOff, isAborted, pause, waitMs } from "./back-off.ts";
import { isErrorBody, ParleyError } from "./errors.ts";
import type { Http } from "./http.ts";
import { readEvents, type SseEvent } from "./sse.ts";

/**
 * An event an agent hears. `channel:reset`: more was missed than is sent again; read the messages from where you were. `reset`: the same of
 * mentions; read them with `mentions`. `id` is where the
 * stream stood with it (`StreamOptions.lastEventId`); what cannot be missed has none.
 */
export type AgentEvent = (
  | { [N in EventName]: { event: N; data: EventData<N> } }[EventName]
  | { event: "channel:reset"; data: { channel_id: number; seq: number; recovered: false } }
  | { event: "reset"; data: { reason: "mentions" } }
) & { id?: string | undefined };

export interface StreamOptions {
  /** Ends the stream. */
  signal?: AbortSignal | undefined;
  /** Where an earlier run stopped: the `id` of its last event that has one; or `<channel_id>:<seq>`, to begin after a message. */
  lastEventId?: string | undefined;
  backOff?: BackOff | undefined;
}

/** The server's heartbeat comes every 15 s; a stream silent for longer is dead. */
const SILENT_MS = 45_000;
/** Mentions remembered to tell repeats. */
const MENTIONS_KEPT = 2_000;

/**
 * The agent's events, resumed after every break.
 *
 * Promise: the durable events of each channel come in order of `seq`, none twice, and none is left out but after a `channel:reset`; a
 * mention comes once, and none is left out but after a `reset`. Errors that trying again does not mend (a revoked key) are thrown.
 */
export async function* agentEvents(http: Http, options: StreamOptions = {}): AsyncGenerator<AgentEvent, void> {
  const { signal, backOff = BACK_OFF } = options;
  const progress = new Progress(options.lastEventId);
  for (let attempt = 0; !isAborted(signal); attempt += 1) {
    try {
      for await (const item of connect(http, progress.lastEventId, signal)) {
        attempt = 0;
        if (item?.event === "stream:end") throw endOf(item.data);
        const event = item === null ? null : progress.take(item);
        if (event !== null) yield event;
      }
    } catch (error) {
      if (isAborted(signal)) return;
      if (error instanceof ParleyError && !isPassing(error)) throw error;
    }
    await pause(waitMs(attempt, backOff, Math.random()), signal);
  }
}

/** One connection of the stream. Ends with it; throws when it breaks or falls silent. */
async function* connect(http: Http, lastEventId: string | null, signal: AbortSignal | undefined) {
  const silence = new AbortController();
  const restart = () => setTimeout(() => silence.abort(), SILENT_MS);
  let timer = restart();
  try {
    const body = await http.stream({
      method: "GET",
      path: "/api/agenthub/events",
      headers: lastEventId === null ? {} : { "last-event-id": lastEventId },
      signal: signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]),
    });
    for await (const item of readEvents(body)) {
      clearTimeout(timer);
      timer = restart();
      yield item;
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/** Where the stream stands. */
class Progress {
  readonly #seqs = new Map<number, number>();
  readonly #mentions = new Set<number>();
  lastEventId: string | null;
  /** Of the data the numbers are of; undefined: not known. */
  #epoch: string | undefined;

  constructor(lastEventId: string | undefined) {
    this.lastEventId = lastEventId ?? null;
    this.#epoch = epochOf(lastEventId);
    for (const [, channelId, seq] of (lastEventId ?? "").matchAll(/(\d+):(\d+)/g)) {
      this.#seqs.set(Number(channelId), Number(seq));
    }
  }

  /** The event, or null when it came before or is none. */
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

  /** After a restore numbers are given out anew: what bears one that is known may be another. */
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

/** Is it worth trying again? */
const isPassing = ({ status, retryable }: ParleyError): boolean => retryable || status >= 500;

function endOf(data: string | null): ParleyError {
  const body: unknown = JSON.parse(data ?? "null");
  // Any status that is no passing one: the server ended the stream for what it says.
  return isErrorBody(body) ? ParleyError.fromBody(body, 401) : new ParleyError("invalid_answer", "The stream ended.");
}
