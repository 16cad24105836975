/** What a server told of itself at one moment. */
export interface Sample {
  /** Milliseconds, of this page's clock. */
  at: number;
  /** Each metric by name, its labels added up. */
  values: ReadonlyMap<string, number>;
}

/** A line of Prometheus' text format: name, labels, value. */
const LINE = /^([a-zA-Z_:][\w:]*)(?:\{[^}]*\})? (\S+)/;

/** Reads Prometheus' text format; the labels of a metric are added up. */
export function readMetrics(text: string, at: number): Sample {
  const values = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [, name, value] = LINE.exec(line) ?? [];
    if (name === undefined || name.endsWith("_bucket")) continue;
    const number = Number(value);
    if (Number.isFinite(number)) values.set(name, (values.get(name) ?? 0) + number);
  }
  return { at, values };
}

/** What a chart shows, of two samples one after the other. */
export type Gauge = (now: Sample, before: Sample) => number;

const numberOf = (sample: Sample, name: string): number => sample.values.get(name) ?? 0;

/** A value as it is, times `scale`. */
export const level =
  (name: string, scale = 1): Gauge =>
  (now) =>
    numberOf(now, name) * scale;

/** How much a counter grew in a second. A server that began anew counts from 0. */
export const perSecond =
  (name: string, scale = 1): Gauge =>
  (now, before) =>
    (Math.max(0, numberOf(now, name) - numberOf(before, name)) * scale * 1_000) / Math.max(1, now.at - before.at);

/** The mean of what a histogram was told in between, times `scale`. */
export const mean =
  (name: string, scale = 1): Gauge =>
  (now, before) => {
    const count = numberOf(now, `${name}_count`) - numberOf(before, `${name}_count`);
    return count <= 0 ? 0 : ((numberOf(now, `${name}_sum`) - numberOf(before, `${name}_sum`)) / count) * scale;
  };
