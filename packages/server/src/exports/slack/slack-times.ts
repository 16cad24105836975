import type { MessageRow } from "../../event-log/message-json.ts";

type Placed = Pick<MessageRow, "id" | "created_at" | "seq" | "thread">;

/**
 * Gives the messages of a channel their `ts`, in the order of seq. It is the time with the last three digits of seq as its
 * microseconds, so it is unique, ascends, and is known of the root of a thread without reading it. Where many messages have
 * one time, that does not ascend: these get the next free microsecond, and roots among them are kept.
 */
export class SlackTimes {
  readonly #moved = new Map<number, string>();
  #last = 0;

  /** Returns the ts of the next message. */
  next(row: Placed): string {
    const usual = microsOf(row);
    const micros = Math.max(usual, this.#last + 1);
    this.#last = micros;
    const ts = tsOf(micros);
    if (micros !== usual && row.thread !== null) this.#moved.set(row.id, ts);
    return ts;
  }

  /** Returns the ts of a message before the next one. */
  of(row: Placed): string {
    return this.#moved.get(row.id) ?? tsOf(microsOf(row));
  }
}

const microsOf = ({ created_at, seq }: Placed): number => created_at * 1_000 + (seq % 1_000);

const tsOf = (micros: number): string => `${Math.floor(micros / 1e6)}.${String(micros % 1e6).padStart(6, "0")}`;

/** Returns the ts of a time of which no message is. */
export const tsOfTime = (at: number): string => tsOf(at * 1_000);

/** Returns the day of a ts in UTC, as the files of messages are named. */
export const dayOf = (ts: string): string => new Date(Number(ts.split(".")[0]) * 1_000).toISOString().slice(0, 10);
