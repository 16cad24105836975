import type { BusMessage, BusRecord } from "../realtime/broker.ts";
import { busRecord } from "./events.ts";
import type { HistoryPage } from "./history.service.ts";
import { type MessageRow, recordJson } from "./record.ts";

/** Messages a channel keeps in memory. */
export const TAIL_MAX = 200;
/** Durable frames kept for resuming sockets. */
export const FRAMES_MAX = 256;

/** What a node keeps of one channel, so that its newest page and a socket that resumes cost no SQL: the newest messages, the newest frames. */
export class FeedMemory {
  /** Ready for a page, oldest first. */
  readonly messages: BusRecord[] = [];
  /** Are there messages older than these? */
  hasOlder = false;
  /** The newest page as it was last asked for, until something changes. */
  newestPage: HistoryPage | undefined;
  /** Without a gap between them. */
  readonly #frames: { seq: number; event: string; messageId: number | undefined; frame: string }[] = [];

  /** The number from which on something is kept; undefined: nothing is. */
  get oldestSeq(): number | undefined {
    const [message, frame] = [this.messages[0]?.seq, this.#frames[0]?.seq];
    return message === undefined || frame === undefined ? (message ?? frame) : Math.min(message, frame);
  }

  /** The frames after `seq`, if all are kept. */
  framesAfter(seq: number): string[] | null {
    const first = this.#frames[0];
    if (first === undefined || seq + 1 < first.seq) return null;
    return this.#frames.slice(seq + 1 - first.seq).map(({ frame }) => frame);
  }

  /** The channel's next durable event. */
  take(seq: number, { event, frame, message }: BusMessage): void {
    this.newestPage = undefined;
    if (message !== undefined) this.#keep(event, message);
    else if (event === "channel:update") this.#rename(frame);
    this.#frames.push({ seq, event, messageId: message?.id, frame });
    if (this.#frames.length > FRAMES_MAX) this.#frames.shift();
  }

  /** Begins anew with the newest messages, newest first and one more than is kept; the frames of before are forgotten. */
  replace(rows: readonly MessageRow[], slug: string): void {
    const tail = rows.slice(0, TAIL_MAX).reverse();
    this.messages.splice(0, this.messages.length, ...tail.map((row) => busRecord(row, recordJson(row, slug))));
    this.hasOlder = rows.length > TAIL_MAX;
    this.newestPage = undefined;
    this.#frames.length = 0;
  }

  #keep(event: string, message: BusRecord): void {
    if (event === "message:new") {
      this.messages.push(message);
      if (this.messages.length > TAIL_MAX) {
        this.messages.shift();
        this.hasOlder = true;
      }
      return;
    }
    const at = this.messages.findIndex(({ id }) => id === message.id);
    if (at !== -1) this.messages[at] = message;
    // A frame that still holds the text of before would bring back what was edited away or deleted: the database rebuilds those.
    if (event === "message:update" || event === "message:delete") this.#dropFramesUpTo(message.id);
  }

  /** Records name their channel's slug: when that changes, so do the records in memory. */
  #rename(frame: string): void {
    const { data } = JSON.parse(frame) as { data: { channel: { channel_slug: string } } };
    const slug = `"channel_slug":"${data.channel.channel_slug}"`;
    for (const [at, message] of this.messages.entries()) {
      // The first match is the record's own: it stands before any text of people.
      this.messages[at] = { ...message, json: message.json.replace(/"channel_slug":"[a-z0-9-]*"/, slug) };
    }
    this.#frames.length = 0;
  }

  #dropFramesUpTo(messageId: number): void {
    const last = this.#frames.findLastIndex((frame) => frame.messageId === messageId);
    if (last !== -1) this.#frames.splice(0, last + 1);
  }
}
