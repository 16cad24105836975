import type { EventData, EventName } from "@parley/protocol/events";
import { BACK_OFF, type BackOff, isAborted, pause, waitMs } from "./back-off.ts";
import { isErrorBody, ParleyError } from "./errors.ts";
import type { Http } from "./http.ts";
import { readEvents, type SseEvent } from "./sse.ts";

/** An event an agent hears. `channel:reset`: more was missed than is sent again; read the messages from where you were. */
export type AgentEvent =
  | { [N in EventName]: { event: N; data: EventData<N> } }[EventName]
  | { event: "channel:reset"; data: { channel_id: number; seq: number; recovered: false } };

export interface StreamOptions {
  /** Ends the stream. */
  signal?: AbortSignal | undefined;
  /** Where an earlier run stopped: `<channel_id>:<seq>` of its last durable event. */
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
 * mention comes once. Errors that trying again does not mend (a revoked key) are thrown.
 */
export async function* agentEvents(http: Http, options: StreamOptions = {}): AsyncGenerator<AgentEvent, void> {
  const { signal, backOff = BACK_OFF } = options;
  const progress = new Progress(options.lastEventId);
  for (let attempt = 0; !isAborted(signal); attempt += 1) {
    try {
      for await (const item of connect(http, progress.lastEventId, signal)) {
        attempt = 0;
        if (item?.event === "stream:end") throw endOf(item);
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
  #durable: string | null;
  #mention: string | null = null;

  constructor(lastEventId: string | undefined) {
    this.#durable = lastEventId ?? null;
    const [channelId, seq] = (lastEventId ?? "").split(":").map(Number);
    if (channelId && seq !== undefined) this.#seqs.set(channelId, seq);
  }

  /** A mention may overtake its own message, so a mention's place counts only while there is no other. */
  get lastEventId(): string | null {
    return this.#durable ?? this.#mention;
  }

  /** The event, or null when it came before. */
  take({ event, id, data }: SseEvent): AgentEvent | null {
    const item = { event, data: JSON.parse(data) } as AgentEvent;
    if (item.event === "mention:new") return this.#takeMention(item, id);
    if (!("seq" in item.data)) return item;
    const { channel_id, seq } = item.data;
    const isReset = item.event === "channel:reset";
    if (!isReset && seq <= (this.#seqs.get(channel_id) ?? 0)) return null;
    this.#seqs.set(channel_id, seq);
    this.#durable = `${channel_id}:${seq}`;
    return item;
  }

  #takeMention(item: Extract<AgentEvent, { event: "mention:new" }>, id: string | undefined): AgentEvent | null {
    const messageId = item.data.chat_message.id;
    if (this.#mentions.has(messageId)) return null;
    this.#mentions.add(messageId);
    if (this.#mentions.size > MENTIONS_KEPT) {
      for (const oldest of this.#mentions) {
        this.#mentions.delete(oldest);
        break;
      }
    }
    this.#mention = id ?? this.#mention;
    return item;
  }
}

/** Is it worth trying again? */
function isPassing({ status, code }: ParleyError): boolean {
  return status === 0 ? code !== "session_over" : status === 429 || status >= 500;
}

function endOf(item: SseEvent): ParleyError {
  const body: unknown = JSON.parse(item.data);
  // Any status that is no passing one: the server ended the stream for what it says.
  return isErrorBody(body) ? ParleyError.fromBody(body, 401) : new ParleyError("invalid_answer", "The stream ended.");
}
