import type { BrokerMessage, BrokerRecord, BrokerRoot } from "../../realtime/broker/broker.ts";
import { busRecord } from "../events.ts";
import { recordJson, withThread } from "../message-json.ts";
import { TAIL_BYTES_MAX, TAIL_MAX, type Tail } from "./tail-reads.ts";

/** A page, oldest message first (protocol §4). */
export interface HistoryPage {
  /** JSON list of records as all readers see them, until `historyFor` adds what is the caller's own. */
  messagesJson: string;
  /** Ids of the messages with reactions. */
  reactedIds: readonly number[];
  /** Ids of the messages that began a thread. */
  rootIds: readonly number[];
  /** Ids of the messages that show the record of a feature. */
  featuredIds: readonly number[];
  count: number;
  hasMore: boolean;
  /** Cursor of the previous page; null at the channel's beginning. */
  nextBefore: number | null;
  /** Cursor of the next page, on ascending pages. */
  nextAfterSeq: number | null;
  lastSeq: number;
  limit: number;
}

/** Durable frames kept in memory per channel, for resuming sockets. */
export const FRAMES_MAX = 256;

/**
 * Bytes of the frames kept per channel, but always the newest one: as many as a socket gets in one resume. Longer ones
 * are read from the database.
 */
export const FRAME_BYTES_MAX = 768 * 1024;
/** Bytes of the largest page that is kept to be sent again. */
const PAGE_BYTES_MAX = 512 * 1024;

/** Bytes of an entry besides its text: the object, its numbers, its list slot. */
const ENTRY_BYTES = 128;

/** Returns the bytes of a text in memory: one per UTF-16 unit, or two if any character needs them. */
const bytesOf = (text: string): number => text.length * unitBytes(text) + ENTRY_BYTES;
const unitBytes = (text: string): number => (Buffer.byteLength(text) === text.length ? 1 : 2);

/**
 * A node's cache of one channel: its newest messages and frames, so that the newest page and resuming sockets need no
 * SQL.
 */
export class FeedMemory {
  /** The newest messages, oldest first. */
  readonly messages: BrokerRecord[] = [];
  /** True if there are older messages than these. */
  hasOlder = false;
  /** True after `forget`, until the newest messages are reloaded from the database. */
  isForgotten = false;
  /** Bytes of the messages, the frames and the newest page. */
  bytes = 0;
  #newestPage: HistoryPage | undefined;
  #newestCollapsed: HistoryPage | undefined;
  /** Consecutive, without gaps. */
  readonly #frames: { seq: number; event: string; messageId: number | undefined; frame: string; bytes: number }[] = [];
  #frameBytes = 0;
  #tailBytes = 0;
  readonly #onBytes: (change: number) => unknown;

  /** `onBytes` receives every change of `bytes`. */
  constructor(onBytes: (change: number) => unknown = () => {}) {
    this.#onBytes = onBytes;
  }

  /** The newest page as last requested, unless it is very large; cleared by every change. */
  get newestPage(): HistoryPage | undefined {
    return this.#newestPage;
  }

  set newestPage(page: HistoryPage | undefined) {
    const before = this.#newestPage;
    this.#newestPage = small(page);
    this.#count(pageBytes(this.#newestPage) - pageBytes(before));
  }

  /** The newest page without replies that only threads show; unused while no message in memory is such a reply. */
  get newestCollapsed(): HistoryPage | undefined {
    return this.#newestCollapsed;
  }

  set newestCollapsed(page: HistoryPage | undefined) {
    const before = this.#newestCollapsed;
    this.#newestCollapsed = small(page);
    this.#count(pageBytes(this.#newestCollapsed) - pageBytes(before));
  }

  /** The smallest seq in memory; undefined if it is empty. */
  get oldestSeq(): number | undefined {
    const [message, frame] = [this.messages[0]?.seq, this.#frames[0]?.seq];
    return message === undefined || frame === undefined ? (message ?? frame) : Math.min(message, frame);
  }

  /** Returns the frames after `seq` if all are in memory, else null. */
  framesAfter(seq: number): string[] | null {
    const first = this.#frames[0];
    if (first === undefined || seq + 1 < first.seq) return null;
    return this.#frames.slice(seq + 1 - first.seq).map(({ frame }) => frame);
  }

  /** Returns what the frame of this seq is about; undefined if it is not in memory. */
  frameAt(seq: number): { event: string; messageId: number | undefined } | undefined {
    const first = this.#frames[0];
    return first === undefined ? undefined : this.#frames[seq - first.seq];
  }

  /** Adds the channel's next durable event. */
  take(seq: number, { event, frame, message, root }: BrokerMessage): void {
    this.newestPage = undefined;
    this.newestCollapsed = undefined;
    if (message !== undefined) this.#keep(event, message);
    else if (event === "channel:update") this.#rename(frame);
    else if (event === "history:purged" || event === "history:extended") this.forget();
    if (root !== undefined) this.#rewriteThread(root);
    // A frame contains its message's record. Measuring the frame would flatten its string, even when nobody receives
    // it.
    const bytes = frame.length * unitBytes(message?.json ?? frame) + ENTRY_BYTES;
    this.#frames.push({ seq, event, messageId: message?.id, frame, bytes });
    this.#frameBytes += bytes;
    this.#count(bytes);
    while (this.#frames.length > FRAMES_MAX || (this.#frameBytes > FRAME_BYTES_MAX && this.#frames.length > 1))
      this.#dropFrames(1);
  }

  /** Resets the memory to the newest messages and drops all frames. */
  replace({ rows, hasOlder }: Tail, slug: string): void {
    this.#empty();
    this.hasOlder = hasOlder;
    for (const row of rows.toReversed()) this.#append(busRecord(row, recordJson(row, slug)));
    this.isForgotten = false;
  }

  /** Drops everything to free memory. Later events are kept again; earlier ones must be read from the database. */
  forget(): void {
    if (this.messages.length > 0) this.hasOlder = true;
    this.#empty();
    this.isForgotten = true;
  }

  #empty(): void {
    this.messages.length = 0;
    this.#frames.length = 0;
    this.#frameBytes = 0;
    this.#tailBytes = 0;
    this.newestPage = undefined;
    this.newestCollapsed = undefined;
    this.#count(-this.bytes);
  }

  /** Adds the newest message, and drops the oldest ones if there are too many now. */
  #append(message: BrokerRecord): void {
    this.messages.push(message);
    this.#countTail(bytesOf(message.json));
    while (this.messages.length > TAIL_MAX || (this.#tailBytes > TAIL_BYTES_MAX && this.messages.length > 1)) {
      this.#countTail(-bytesOf(this.messages.shift()?.json ?? ""));
      this.hasOlder = true;
    }
  }

  #countTail(change: number): void {
    this.#tailBytes += change;
    this.#count(change);
  }

  #keep(event: string, message: BrokerRecord): void {
    if (event === "message:new") {
      this.#append(message);
      return;
    }
    this.#rewrite(
      this.messages.findIndex(({ id }) => id === message.id),
      message,
    );
    // A frame with the earlier text would restore what was edited or deleted; such frames are rebuilt from the
    // database.
    if (event === "message:update" || event === "message:delete") this.#dropFramesUpTo(message.id);
  }

  /** Replaces a record, if it is in memory. */
  #rewrite(at: number, message: BrokerRecord): void {
    const before = this.messages[at];
    if (before === undefined) return;
    this.messages[at] = message;
    this.#countTail(bytesOf(message.json) - bytesOf(before.json));
  }

  /** Shows what the root of a thread says after a reply was sent or deleted. */
  #rewriteThread({ id, thread }: BrokerRoot): void {
    const at = this.messages.findIndex((message) => message.id === id);
    const before = this.messages[at];
    if (before === undefined) return;
    const { threaded: _, ...rest } = before;
    const json = withThread(before.json, thread);
    this.#rewrite(at, thread === "null" ? { ...rest, json } : { ...rest, json, threaded: true });
  }

  /** Records contain their channel's slug, so a new slug changes the records in memory. */
  #rename(frame: string): void {
    const { data } = JSON.parse(frame) as { data: { channel: { channel_slug: string } } };
    const slug = `"channel_slug":"${data.channel.channel_slug}"`;
    for (const [at, message] of this.messages.entries()) {
      // The first match is the record's own slug: it precedes all user text.
      this.#rewrite(at, { ...message, json: message.json.replace(/"channel_slug":"[a-z0-9-]*"/, slug) });
    }
    this.#dropFrames(this.#frames.length);
  }

  #dropFramesUpTo(messageId: number): void {
    this.#dropFrames(this.#frames.findLastIndex((frame) => frame.messageId === messageId) + 1);
  }

  /** Drops the `count` oldest frames. */
  #dropFrames(count: number): void {
    const dropped = count === 1 ? [this.#frames.shift()] : this.#frames.splice(0, count);
    const bytes = dropped.reduce((sum, frame) => sum + (frame?.bytes ?? 0), 0);
    this.#frameBytes -= bytes;
    this.#count(-bytes);
  }

  #count(change: number): void {
    this.bytes += change;
    this.#onBytes(change);
  }
}

const small = (page: HistoryPage | undefined): HistoryPage | undefined =>
  pageBytes(page) > PAGE_BYTES_MAX ? undefined : page;

/** Returns the bytes of a page and of the response built from it, which repeats it. */
const pageBytes = (page: HistoryPage | undefined): number => (page === undefined ? 0 : 2 * bytesOf(page.messagesJson));
