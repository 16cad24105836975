import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/db.ts";
import { SizedStatement } from "../db/statements/sized-statement.ts";

/** A range of a channel's durable seqs: above `after`, up to and including `upTo`. */
export interface Span {
  channelId: number;
  after: number;
  upTo: number;
}

/** Returns how many seqs the spans have. */
export const seqsIn = (spans: readonly Span[]): number => spans.reduce((sum, { after, upTo }) => sum + upTo - after, 0);

/** Splits spans with at least two seqs in two parts, in order: the first has half of the seqs, or one less. */
export function halves(spans: readonly Span[]): [first: Span[], second: Span[]] {
  const first: Span[] = [];
  const second: Span[] = [];
  let left = Math.floor(seqsIn(spans) / 2);
  for (const { channelId, after, upTo } of spans) {
    const middle = Math.min(upTo, after + left);
    left -= middle - after;
    if (middle > after) first.push({ channelId, after, upTo: middle });
    if (upTo > middle) second.push({ channelId, after: middle, upTo });
  }
  return [first, second];
}

/**
 * A query of what is in many spans at once: on PostgreSQL each statement is a round trip, so one for each span would
 * cost more than the reading.
 */
export class SpanStatement<Row> {
  readonly #statement: SizedStatement<Span>;

  /**
   * `build` receives the condition that `channel_id` and `seq` are in one of the spans. It names each range, because
   * PostgreSQL cannot estimate ranges that come from a list of values, and would read a large table as a whole.
   */
  constructor(build: (isWithin: RawBuilder<boolean>) => RawBuilder<Row>) {
    this.#statement = new SizedStatement<Span>({ channelId: 0, after: 0, upTo: 0 }, (db, spans) => {
      const ranges = spans.map(
        ({ channelId, after, upTo }) => sql`(channel_id = ${channelId} and seq > ${after} and seq <= ${upTo})`,
      );
      return build(sql<boolean>`(${sql.join(ranges, sql` or `)})`).compile(db);
    });
  }

  /** Returns the rows of all spans, by one query for up to 64 of them. */
  all(db: Db, spans: readonly Span[]): Promise<Row[]> {
    return this.#statement.run<Row>(db, spans);
  }
}
