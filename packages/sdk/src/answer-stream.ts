import type { ActivityInput } from "@parley/protocol/activity";
import type { AgentSendResponse } from "@parley/protocol/agents";
import { CONTENT_MAX } from "@parley/protocol/limits";
import { ACTIVITY_MAX } from "@parley/protocol/merge-activity";
import type { ChatMessage } from "@parley/protocol/models";
import { MANY_MAX } from "@parley/protocol/stream-limits";
import type { FinishReason, StreamAppendBody, StreamFinishBody, StreamStartBody } from "@parley/protocol/streams";
import { ParleyError } from "./errors.ts";
import type { RequestOptions } from "./request-options.ts";
import type { AgentHub } from "./resources/agent.ts";
import { splitText } from "./split-text.ts";

/** The time between two appends: twice as slow as the server allows at most. */
const APART_MS = 100;
/** Without an append for 60 s the server ends the stream. */
const ALIVE_MS = 20_000;

/** The fields of the start that a caller may set in a channel. */
export type StartFields = Partial<
  Pick<StreamStartBody, "client_msg_id" | "reply_to_id" | "thread_root_id" | "also_in_channel" | "expected_last_seq">
>;

export interface StreamAnswerOptions extends RequestOptions {
  /** The number of this message among several to the same mention. Default 0. */
  part?: number | undefined;
  /** In a channel: what it replies to, its thread, its key. */
  fields?: StartFields | undefined;
  /** What the message has besides its text: a card, usage. If the text becomes several messages, the first one has it. */
  finish?: FinishFields | undefined;
}

/** What is sent with the end of a stream. */
export type FinishFields = Omit<StreamFinishBody, "message">;

/**
 * A piece of the text, or what the agent is doing, such as `{ status: "reading 3 files" }`, or what it did, which is
 * merged by `id` and stays below the message.
 */
export type StreamPiece = string | { status: string | null } | { activity: readonly ActivityInput[] };

export type StreamPieces = AsyncIterable<StreamPiece> | Iterable<StreamPiece>;

/** A streamed answer after its end. */
export interface StreamedAnswer
  extends Pick<AgentSendResponse, "message_id" | "seq" | "chat_message" | "deduplicated"> {
  /**
   * `interrupted`: the server ended it with a part of the text, because it had heard nothing for 60 s. `stopped`: a person
   * stopped the agent, which must not go on.
   */
  finish_reason: FinishReason;
  /** The messages that follow it, if the answer was too long for one. */
  rest: readonly ChatMessage[];
}

/**
 * Writes one answer: appends what comes, at most ten times a second, and finishes once. The place in the text makes it
 * safe to repeat an append whose answer was lost.
 */
export class AnswerStream {
  readonly #calls: AgentHub;
  readonly #start: StreamStartBody;
  readonly #options: RequestOptions;
  readonly #fields: FinishFields;
  #streamId = 0;
  #text = "";
  #status: string | null = null;
  /** The status that the server shows. */
  #shown: string | null = null;
  /** The agent's acts since the last append. */
  #activity = new Map<string, ActivityInput>();
  /** Characters that the server holds. */
  #sent = 0;
  /** True if the server holds another text, of an earlier run: the whole one is sent at the end. */
  #differs = false;
  /** The error that ended the appends. */
  #error: unknown;
  #isDone = false;
  #wake = () => {};

  constructor(calls: AgentHub, start: StreamStartBody, options: RequestOptions = {}, fields: FinishFields = {}) {
    this.#calls = calls;
    this.#start = start;
    this.#options = options;
    this.#fields = fields;
  }

  /** If the pieces fail or the signal is aborted, nothing is left of the stream, and the error is thrown. */
  async write(pieces: StreamPieces): Promise<StreamedAnswer> {
    const started = await this.#calls.startStream(this.#start, this.#options);
    this.#streamId = started.stream_id;
    // Another run has answered already.
    if (started.state !== "open") return this.#finish();
    this.#differs = started.length > 0;
    const appending = this.#append();
    try {
      for await (const piece of pieces) {
        this.#options.signal?.throwIfAborted();
        if (typeof piece === "string") this.#text += piece;
        else if ("activity" in piece) this.#note(piece.activity);
        else this.#status = piece.status;
        this.#wake();
        if (this.#error !== undefined) break;
      }
      this.#options.signal?.throwIfAborted();
    } catch (error) {
      await this.#end(appending);
      await this.#calls.cancelStream(this.#streamId, { ...this.#options, signal: undefined }).catch(() => {});
      throw error;
    }
    await this.#end(appending);
    // A stream that the server has finished answers with what it has become.
    if (this.#error !== undefined && !(this.#error instanceof ParleyError && this.#error.is("stream_over")))
      throw this.#error;
    return this.#finish();
  }

  /** Keeps the newest acts, as the server does, so that a flood of them needs one request. */
  #note(acts: readonly ActivityInput[]): void {
    for (const act of acts) this.#activity.set(act.id, { ...this.#activity.get(act.id), ...act });
    for (const id of this.#activity.keys()) {
      if (this.#activity.size <= ACTIVITY_MAX) break;
      this.#activity.delete(id);
    }
  }

  /** Sends acts again, before those that came later. */
  #keep(acts: readonly ActivityInput[]): void {
    const later = [...this.#activity.values()];
    this.#activity.clear();
    this.#note([...acts, ...later]);
  }

  async #end(appending: Promise<void>): Promise<void> {
    this.#isDone = true;
    this.#wake();
    await appending;
  }

  /** Sends what has come since the last append, until the pieces end: the last ones come with the finish. */
  async #append(): Promise<void> {
    while (this.#error === undefined && !this.#isDone) {
      const delta = this.#next();
      const status = this.#status;
      if (delta !== "" || status !== this.#shown || this.#activity.size > 0) {
        this.#shown = status;
        const rest = { status, ...this.#acts() };
        await this.#send(delta === "" ? rest : { offset: this.#sent, delta, ...rest });
        if (!this.#isDone) await new Promise((resolve) => setTimeout(resolve, APART_MS));
      } else if (!(await this.#woken())) await this.#send({ status });
    }
  }

  /** Takes what the agent did, as the field of a body. */
  #acts(): { activity?: ActivityInput[] } {
    const activity = [...this.#activity.values()];
    this.#activity.clear();
    return activity.length === 0 ? {} : { activity };
  }

  async #send(body: StreamAppendBody): Promise<void> {
    try {
      const { length } = await this.#calls.appendToStream(this.#streamId, body, this.#options);
      this.#sent = this.#differs ? this.#sent : length;
    } catch (error) {
      const held = error instanceof ParleyError && error.is("offset_mismatch") ? lengthIn(error.details) : null;
      // The server has not taken what was sent with it. What came since is newer.
      if (held !== null) this.#keep(body.activity ?? []);
      if (held === null) this.#error = error;
      else if (held < this.#sent) this.#sent = held;
      else this.#differs = true;
    }
  }

  /** Returns the text to append. No character is cut in two, and what does not fit into one message waits for the end. */
  #next(): string {
    if (this.#differs) return "";
    const delta = this.#text.slice(this.#sent, CONTENT_MAX);
    return /[\uD800-\uDBFF]$/.test(delta) ? delta.slice(0, -1) : delta;
  }

  /** Waits for the next piece; returns false if none comes for so long that the server would end the stream. */
  #woken(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), ALIVE_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }

  async #finish(): Promise<StreamedAnswer> {
    const [first = "", ...more] = splitText(this.#text, CONTENT_MAX);
    const isHeld = !this.#differs && more.length === 0 && this.#sent === this.#text.length;
    this.#note(this.#fields.activity ?? []);
    const fields = { ...this.#fields, ...this.#acts() };
    const body = isHeld || first === "" ? fields : { ...fields, message: first };
    const answer = await this.#calls.finishStream(this.#streamId, body, this.#options);
    const { message_id, seq, chat_message, deduplicated, finish_reason } = answer;
    const rest = finish_reason === "stopped" ? [] : await this.#sendRest(more);
    return { message_id, seq, chat_message, deduplicated, finish_reason, rest };
  }

  async #sendRest(parts: readonly string[]): Promise<ChatMessage[]> {
    const { channel_slug, agent_name, client_msg_id, thread_root_id } = this.#start;
    const place = { channel_slug, agent_name, ...(thread_root_id == null ? {} : { thread_root_id }) };
    const sent: ChatMessage[] = [];
    for (let from = 0; from < parts.length; from += MANY_MAX) {
      const messages = parts.slice(from, from + MANY_MAX).map((message, at) => ({
        message,
        client_msg_id: `${client_msg_id}#${from + at + 2}`,
      }));
      const [only] = messages;
      if (messages.length === 1 && only !== undefined)
        sent.push((await this.#calls.send({ ...place, ...only }, this.#options)).chat_message);
      else sent.push(...(await this.#calls.sendMany({ ...place, messages }, this.#options)).messages);
    }
    return sent;
  }
}

function lengthIn(details: unknown): number | null {
  const length = details !== null && typeof details === "object" && "length" in details ? details.length : null;
  return typeof length === "number" ? length : null;
}
