import { PATIENCE_MS } from "../patience.ts";

/** A server-sent event as a client reads it. */
export interface ReadEvent {
  event: string;
  id: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into events of any shape and fails where they differ.
  data: any;
}

/** Reads an event stream. Keeps every event in order, and can wait for one. */
export class EventReader implements AsyncDisposable {
  readonly events: ReadEvent[] = [];
  /** The id that a browser would resume with: the newest one received, with or without an event. */
  lastEventId: string | null = null;
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  readonly response: Response;
  readonly #abort: AbortController;
  readonly #waiting = new Set<() => void>();
  #over = false;

  private constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    this.ended = this.#read();
  }

  /** Opens the stream; `lastEventId` resumes. Resolves when the server has answered and listens for events. */
  static async open(url: string, credential: Record<string, string>, lastEventId?: string): Promise<EventReader> {
    const abort = new AbortController();
    const headers = { ...credential, ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }) };
    const response = await fetch(`${url}/api/agenthub/events`, { headers, signal: abort.signal });
    if (response.status !== 200) throw new Error(`events: ${response.status} ${await response.text()}`);
    return new EventReader(response, abort);
  }

  /** Returns the first event, past or future, that matches. */
  async next(fits: (event: ReadEvent) => boolean, timeoutMs = PATIENCE_MS): Promise<ReadEvent> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const found = this.events.find(fits);
      if (found !== undefined) return found;
      const left = deadline - performance.now();
      if (this.#over || left <= 0)
        throw new Error(`No such event; seen: ${this.events.map(({ event, id }) => `${event} ${id}`).join(", ")}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.ended;
  }

  async #read(): Promise<void> {
    let text = "";
    try {
      for await (const chunk of this.response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk;
        const blocks = text.split("\n\n");
        text = blocks.pop() ?? "";
        for (const block of blocks) this.#take(block);
        this.#wake();
      }
    } catch (error) {
      if (!this.#abort.signal.aborted) throw error;
    } finally {
      this.#over = true;
      this.#wake();
    }
  }

  #take(block: string): void {
    const fields = new Map(
      block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
    );
    const event = fields.get("event");
    this.lastEventId = fields.get("id") ?? this.lastEventId;
    if (event !== undefined)
      this.events.push({ event, id: fields.get("id") ?? null, data: JSON.parse(fields.get("data") ?? "null") });
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
