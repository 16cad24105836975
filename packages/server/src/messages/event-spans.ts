import { type AppContext, perServer } from "../context.ts";

/** An event as it is told: its own fields, beside `channel_id` and `seq`, as those of a JSON object, without its braces. */
export interface ToldEvent {
  event: string;
  fields: string;
}

/** What the events of a span say, in their order, as things are now. `about` is what was written with the span. */
export type SpanReader = (ctx: AppContext, about: Record<string, unknown>) => Promise<readonly ToldEvent[]>;

/**
 * Events that follow one another and whose contents stand elsewhere, as that of `message:new` does, are one row of the log: its number is the
 * last one's, its name begins with `span:`, its data says how many there are. Who writes such rows puts in how they are read, by that name.
 */
export const spanReaders = perServer(() => new Map<`span:${string}`, SpanReader>());

interface StoredEvent {
  seq: number;
  event: string;
  data: string;
}

export const spanData = (count: number, about: object): string => JSON.stringify({ count, ...about });

/** How many events the row stands for. */
export function countOf({ event, data }: StoredEvent): number {
  return isSpan(event) ? (JSON.parse(data) as { count: number }).count : 1;
}

/** The events of a row; null when it is one itself. */
export async function eventsOfSpan(ctx: AppContext, row: StoredEvent): Promise<(ToldEvent & { seq: number })[] | null> {
  if (!isSpan(row.event)) return null;
  const read = spanReaders(ctx).get(row.event);
  if (read === undefined) throw new Error(`Nobody here reads ${row.event}.`);
  const told = await read(ctx, JSON.parse(row.data) as Record<string, unknown>);
  return told.map((event, at) => ({ ...event, seq: row.seq - told.length + 1 + at }));
}

/** The fields of a JSON object. */
export const fieldsOf = (object: string): string => object.slice(1, -1);

export const isSpan = (event: string): event is `span:${string}` => event.startsWith("span:");
