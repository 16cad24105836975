/** A server's metrics at one moment. */
export interface Sample {
  /** Milliseconds by this page's clock. */
  at: number;
  /** Each metric by name, summed over its labels. */
  values: ReadonlyMap<string, number>;
  /** The node of a cluster that answered; null on a lone server. */
  node: { id: string; name: string } | null;
}

/** A line of the Prometheus text format: name, labels, value. */
const LINE = /^([a-zA-Z_:][\w:]*)(?:\{[^}]*\})? (\S+)/;
const NODE = /^parley_cluster_node_info\{id="([^"]*)",name="([^"]*)"\}/m;
/** After this long, another node is shown instead of one that answers no more. */
const SILENT_MS = 30_000;

/** Parses the Prometheus text format; sums each metric over its labels. */
export function readMetrics(text: string, at: number): Sample {
  const values = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [, name, value] = LINE.exec(line) ?? [];
    if (name === undefined || name.endsWith("_bucket")) continue;
    const number = Number(value);
    if (Number.isFinite(number)) values.set(name, (values.get(name) ?? 0) + number);
  }
  const [, id, name = ""] = NODE.exec(text) ?? [];
  return { at, values, node: id === undefined ? null : { id, name } };
}

/**
 * Adds a sample to those shown and keeps the newest `most`. Behind a balancer each answer may come from another node,
 * and counters of two nodes cannot be compared: only one node is shown, until it has not answered for 30 s.
 */
export function addSample(all: readonly Sample[], sample: Sample, most: number): readonly Sample[] {
  const last = all.at(-1);
  if (last === undefined || last.node?.id === sample.node?.id) return [...all, sample].slice(-most);
  return sample.at - last.at < SILENT_MS ? all : [sample];
}

/** Computes a chart's value from two consecutive samples. */
export type Gauge = (now: Sample, before: Sample) => number;

const numberOf = (sample: Sample, name: string): number => sample.values.get(name) ?? 0;

/** Returns the current value, times `scale`. */
export const level =
  (name: string, scale = 1): Gauge =>
  (now) =>
    numberOf(now, name) * scale;

/** Returns a counter's growth per second, times `scale`; 0 if the counter fell because the server restarted. */
export const perSecond =
  (name: string, scale = 1): Gauge =>
  (now, before) =>
    (Math.max(0, numberOf(now, name) - numberOf(before, name)) * scale * 1_000) / Math.max(1, now.at - before.at);

/** Returns the mean of a histogram's observations between two samples, times `scale`. */
export const mean =
  (name: string, scale = 1): Gauge =>
  (now, before) => {
    const count = numberOf(now, `${name}_count`) - numberOf(before, `${name}_count`);
    return count <= 0 ? 0 : ((numberOf(now, `${name}_sum`) - numberOf(before, `${name}_sum`)) / count) * scale;
  };
