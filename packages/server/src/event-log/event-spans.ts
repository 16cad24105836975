import type { DurableEventName } from "@parley/protocol/events";
import { type AppContext, perServer } from "../context.ts";
import { hook } from "../hook.ts";

/** An event as published: its own fields, beside `channel_id` and `seq`, as a JSON object without its braces. */
export interface PublishedEvent {
  event: string;
  fields: string;
}

/** Reads the spans of a name. */
export interface SpanReader {
  name: `span:${string}`;
  /** Returns the current contents of a span's events, in order. `about` is the data stored with the span. */
  read(ctx: AppContext, about: Record<string, unknown>): Promise<readonly PublishedEvent[]>;
}

/**
 * The readers of spans. A span is one log row for consecutive events whose contents are stored elsewhere, like
 * those of `message:new`: its seq is that of the last event, its name begins with `span:`, and its data has their
 * count. The module that writes spans registers their reader, one release before it writes the first: during an
 * upgrade, nodes of the release before read the log, too.
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

/** Returns the events of a span, or of a row that this server cannot read; null if the row is a single event. */
export async function eventsOfSpan(
  ctx: AppContext,
  row: StoredEvent,
): Promise<(PublishedEvent & { seq: number })[] | null> {
  if (!isSpan(row.event) && !isSwitchedOff(ctx, row)) return null;
  const reader = spanReaders.of(ctx).find(({ name }) => name === row.event);
  const about = () => JSON.parse(row.data) as Record<string, unknown>;
  const told = reader === undefined ? placeholders(ctx, row) : await reader.read(ctx, about());
  return told.map((event, at) => ({ ...event, seq: row.seq - told.length + 1 + at }));
}

/** Returns the fields of a JSON object, without its braces. */
export const fieldsOf = (object: string): string => object.slice(1, -1);

export const isSpan = (event: string): event is `span:${string}` => event.startsWith("span:");
