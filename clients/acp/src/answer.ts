import {
  type ActivityInput,
  type AgentClient,
  ParleyError,
  type StreamAnswerOptions,
  type StreamedAnswer,
} from "@parley/sdk";
import { cleanText, oneLine } from "../../shared/src/clean-text.ts";
import { type Place, threadOf } from "./place.ts";
import { TextQueue } from "./text-queue.ts";

/** From here on a message ends at the next line, and the text goes on in the next message. */
const SOFT_MAX = 3_400;
const HARD_MAX = 3_900;
/** All that one turn may write. An agent that floods a channel is cut here. */
const TURN_MAX = 60_000;
const STATUS_MAX = 120;

/** The text that was sent last must be the message with this key, also after a crash. */
export interface FinalText {
  part: number;
  text: string;
}

export interface AnswerOptions {
  client: AgentClient;
  place: Place;
  /** The message that is answered. */
  replyTo: number;
  /** Begins the keys of all messages: the part's number follows. */
  keyPrefix: string;
  /** Which run of the turn it is. */
  attempt(): number;
  signal: AbortSignal;
  /** Returns what a message that ends has besides its text, and forgets it. */
  takeFields(): FinishFields;
  /** Stores the last text before it becomes a message. */
  onFinal(final: FinalText): void;
  /** Called when a message cannot be sent: nothing more of this turn will be. */
  onFailure(error: unknown): void;
}

export type FinishFields = NonNullable<StreamAnswerOptions["finish"]>;

/** Somebody who may do so stopped the agent: what was written so far is the message, and nothing follows. */
export class StoppedByReader extends Error {}

/** Marks the end of a stream without a text, of which nothing is left. */
const NOTHING = Symbol("nothing");

/** A message that grows. */
interface Part {
  queue: TextQueue;
  text: string;
  /** Filled in when the text is complete. */
  fields: FinishFields;
  sent: Promise<StreamedAnswer | null>;
}

/**
 * The answer of one turn: text that appears as the agent writes it, in as many messages as it needs. The n-th message of
 * a turn has the same key whenever the turn runs, so no restart sends it twice.
 */
export class Answer {
  readonly #of: AnswerOptions;
  #part: Part | null = null;
  #parts = 0;
  #total = 0;
  #fence = "";
  #failure: unknown;
  #isOver = false;

  constructor(options: AnswerOptions) {
    this.#of = options;
  }

  /** True as long as the agent has written nothing. */
  get isEmpty(): boolean {
    return this.#total === 0;
  }

  /** True if no text follows what was sent. */
  get isSilent(): boolean {
    return this.#part === null || this.#part.text.trim() === "";
  }

  /** Adds text. It is sent soon; `close` waits for it. */
  write(piece: string): void {
    let text = cleanText(piece);
    if (text === "" || this.#isOver) return;
    if (this.#total + text.length > TURN_MAX) {
      text = `${text.slice(0, TURN_MAX - this.#total)}\n\n(The agent wrote more than ${TURN_MAX} characters; the rest is cut.)`;
      this.#isOver = true;
    }
    this.#total += text.length;
    while (text !== "") text = this.#add(text);
  }

  /** Adds what fits into the message, and returns the rest. */
  #add(text: string): string {
    const part = this.#open();
    const room = HARD_MAX - part.text.length;
    const soft = SOFT_MAX - part.text.length;
    const line = text.indexOf("\n", Math.max(0, soft));
    const cut = line !== -1 && line < room ? line + 1 : room;
    if (text.length <= room && (line === -1 || line >= room)) {
      this.#push(part, text);
      return "";
    }
    this.#push(part, text.slice(0, cut));
    this.#fence = openFence(part.text);
    if (this.#fence !== "")
      this.#push(part, `${part.text.endsWith("\n") ? "" : "\n"}${this.#fence.replace(/[^`~].*$/, "")}`);
    this.#finishLater(part);
    return text.slice(cut);
  }

  #push(part: Part, text: string): void {
    part.text += text;
    part.queue.push(text);
  }

  /** Shows what the agent does, beside the text so far. */
  status(text: string): void {
    if (!this.#isOver) this.#open().queue.push({ status: oneLine(text, STATUS_MAX) });
  }

  /** Shows an act of the agent below the text so far. */
  act(act: ActivityInput): void {
    if (!this.#isOver) this.#open().queue.push({ activity: [act] });
  }

  #open(): Part {
    if (this.#part !== null) return this.#part;
    const queue = new TextQueue();
    const part: Part = { queue, text: "", fields: {}, sent: Promise.resolve(null) };
    part.sent = this.#send(part, this.#parts, this.#waitingFor);
    part.sent.catch((error) => this.#fail(error));
    this.#parts += 1;
    this.#part = part;
    if (this.#fence !== "") this.#push(part, `${this.#fence}\n`);
    this.#fence = "";
    return part;
  }

  /** Messages that are still being sent: a place shows one stream at a time. */
  #waitingFor: Promise<unknown> = Promise.resolve();

  #finishLater(part: Part): void {
    this.#part = null;
    if (part.text.trim() === "") part.queue.end({ error: NOTHING });
    else Object.assign(part.fields, this.#of.takeFields());
    part.queue.end();
    this.#waitingFor = Promise.all([this.#waitingFor, part.sent.catch(() => {})]);
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#isOver = true;
    this.#of.onFailure(error);
  }

  async #send(part: Part, number: number, before: Promise<unknown>): Promise<StreamedAnswer | null> {
    await before;
    const { client, place, keyPrefix, signal, replyTo } = this.#of;
    const fields = {
      client_msg_id: `${keyPrefix}${number}`,
      ...threadOf(place),
      ...(number === 0 ? { reply_to_id: replyTo } : {}),
    };
    const options = { fields, finish: part.fields, signal, maxRetries: 1_000 };
    try {
      const sent = await client.stream(place.channel, part.queue, options);
      if (sent.finish_reason === "stopped") throw new StoppedByReader("Somebody stopped the agent.");
      await this.#sendLost(sent, part, `${fields.client_msg_id}-`);
      return sent;
    } catch (error) {
      if (error === NOTHING) return null;
      const isRefused = error instanceof ParleyError && error.is("stream_limit_reached");
      if (!isRefused) throw error;
      return this.#sendWhole(part, fields);
    }
  }

  /** Another session of this agent writes in the channel: this one's text is sent when it is complete. */
  async #sendWhole(part: Part, fields: { client_msg_id: string }): Promise<null> {
    const { client, place, signal } = this.#of;
    try {
      for await (const _ of part.queue);
    } catch (error) {
      if (error === NOTHING) return null;
      throw error;
    }
    if (part.text.trim() === "") return null;
    await client.send(place.channel, part.text, { ...fields, ...part.fields }, { signal, maxRetries: 1_000 });
    return null;
  }

  /**
   * Sends what a message lacks. The server ends a stream that hears nothing for a minute, as while it was restarted: the rest
   * follows. An earlier run of the turn has used the key for another text: this run's text follows whole.
   */
  async #sendLost(sent: StreamedAnswer, part: Part, keyPrefix: string): Promise<void> {
    // The stream was over before the agent had written all of its text.
    for await (const _ of part.queue);
    const { content } = sent.chat_message;
    const isCut = sent.finish_reason === "interrupted" && part.text.startsWith(content);
    const isOther = sent.deduplicated && !isCut && content.trim() !== part.text.trim();
    const rest = isCut ? part.text.slice(content.length) : isOther ? part.text : "";
    if (rest.trim() === "") return;
    const { client, place, signal, attempt } = this.#of;
    const client_msg_id = `${keyPrefix}${isCut ? "rest" : `again-${attempt()}`}`;
    const fields = { client_msg_id, ...threadOf(place), ...part.fields };
    await client.send(place.channel, rest, fields, { signal, maxRetries: 1_000 });
  }

  /**
   * Ends the message that grows, and waits until all of them are sent. `isFinal`: it is the turn's last one. Throws the
   * error of the first message that could not be sent.
   */
  async close({ isFinal = false } = {}): Promise<void> {
    const part = this.#part;
    if (part !== null) {
      if (part.text.trim() !== "" && isFinal) this.#of.onFinal({ part: this.#parts - 1, text: part.text });
      this.#finishLater(part);
      // A number whose message never was is used again.
      if (part.text.trim() === "") this.#parts -= 1;
    }
    await this.#waitingFor;
    this.#fence = "";
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Sends the last text of a turn whose run ended before it knew that the text was sent. */
  async resend({ part, text }: FinalText): Promise<void> {
    this.#parts = part;
    this.#push(this.#open(), text);
    await this.close();
  }

  /** Leaves nothing of the message that grows. */
  async drop(): Promise<void> {
    this.#isOver = true;
    const part = this.#part;
    this.#part = null;
    part?.queue.end({ error: NOTHING });
    await part?.sent.catch(() => {});
    await this.#waitingFor.catch(() => {});
  }
}

/** Returns the line that opens a block of code which the text does not close; or an empty text. */
function openFence(text: string): string {
  let open = "";
  for (const line of text.split("\n")) {
    const [, marks] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (marks === undefined) continue;
    if (open === "") open = line.trim().slice(0, 40);
    else if (line.trim() === marks && open.startsWith(marks)) open = "";
  }
  return open;
}
