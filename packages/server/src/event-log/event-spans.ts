import type { DurableEventName } from "@parley/protocol/events";
import { type AppContext, perServer } from "../context.ts";
import { hook } from "../hook.ts";
import type { MessageRow } from "./message-json.ts";

/** An event as published: its own fields, beside `channel_id` and `seq`, as a JSON object without its braces. */
export interface PublishedEvent {
  event: string;
  fields: string;
}

/** A span to read. */
export interface Span {
  /** The data stored with the span. */
  about: Record<string, unknown>;
  /** The message that its events concern, as it is now; undefined: none, or it is gone. */
  subject: MessageRow | undefined;
}

/** Reads the spans of a name. */
export interface SpanReader {
  name: `span:${string}`;
  /**
   * Returns of each span the current contents of its events, in order. It gets all spans of a read at once, because the
   * same message or packet may have hundreds of them.
   */
  read(ctx: AppContext, spans: readonly Span[]): Promise<readonly (readonly PublishedEvent[])[]>;
}

/**
 * The readers of spans. A span is one log row for consecutive events whose contents are stored elsewhere, like
 * those of `message:new`: its seq is that of the last event, its name begins with `span:`, and its data has their
 * count. The module that writes spans registers their reader, one release before it writes the first: during an
 * upgrade, nodes of the release before read the log, too, and send `event:unreadable` instead. Where that does no harm,
 * as for a poll whose sums a reload shows, one release may do both (docs/subsystems/cluster.md, Upgrades).
 */
export const spanReaders = hook<SpanReader>();

interface StoredEvent {
  seq: number;
  event: string;
  data: string;
}

export const spanData = (count: number, about: object): string => JSON.stringify({ count, ...about });

/** Returns how many events the row represents. */
export function countOf({ event, data }: StoredEvent): number {
  return isSpan(event) ? (JSON.parse(data) as { count: number }).count : 1;
}

/** Spans of newer releases that were met, so that each is logged once. Their names are few. */
const unreadable = perServer(() => new Set<string>());

/** True for an event of red packets on a server that has none any more (`PARLEY_VALUE=off`). */
const isSwitchedOff = ({ config }: AppContext, { event }: StoredEvent): boolean =>
  config.value === "off" && /^(?:span:)?red_packet:/.test(event);

/**
 * Returns events without content for a row that only a newer release can read, or only a server with red packets. They
 * take the row's seqs: the events after it must not wait for this node's upgrade.
 */
function placeholders(ctx: AppContext, row: StoredEvent): PublishedEvent[] {
  if (!unreadable(ctx).has(row.event) && !isSwitchedOff(ctx, row)) {
    unreadable(ctx).add(row.event);
    ctx.log.warn({ event: row.event }, "a newer release wrote events that this one cannot read");
  }
  const name: DurableEventName = "event:unreadable";
  return Array.from({ length: countOf(row) }, () => ({ event: name, fields: "" }));
}

/**
 * Returns the events of spans, and of rows that this server cannot read, by their rows. Rows that are single events have
 * none. `subjectOf` returns the message that a row's events concern.
 */
export async function eventsOfSpans<Row extends StoredEvent>(
  ctx: AppContext,
  rows: readonly Row[],
  subjectOf: (row: Row) => MessageRow | undefined,
): Promise<ReadonlyMap<Row, readonly (PublishedEvent & { seq: number })[]>> {
  const events = new Map<Row, (PublishedEvent & { seq: number })[]>();
  const keep = (row: Row, told: readonly PublishedEvent[]) =>
    events.set(
      row,
      told.map((event, at) => ({ ...event, seq: row.seq - told.length + 1 + at })),
    );
  const spans = rows.filter((row) => isSpan(row.event) || isSwitchedOff(ctx, row));
  for (const [name, named] of Map.groupBy(spans, ({ event }) => event)) {
    const reader = spanReaders.of(ctx).find((each) => each.name === name);
    if (reader === undefined) for (const row of named) keep(row, placeholders(ctx, row));
    else {
      const about = ({ data }: Row) => JSON.parse(data) as Record<string, unknown>;
      const told = await reader.read(
        ctx,
        named.map((row) => ({ about: about(row), subject: subjectOf(row) })),
      );
      for (const [at, row] of named.entries()) keep(row, told[at] ?? []);
    }
  }
  return events;
}

/** Returns the fields of a JSON object, without its braces. */
export const fieldsOf = (object: string): string => object.slice(1, -1);

export const isSpan = (event: string): event is `span:${string}` => event.startsWith("span:");
