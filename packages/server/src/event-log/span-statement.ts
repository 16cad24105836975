import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/db.ts";
import { SizedStatement } from "../db/statements/sized-statement.ts";
import type { Span } from "./span.ts";

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
