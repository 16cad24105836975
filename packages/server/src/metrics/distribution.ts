/** Counts how often values fell below each bound: a histogram that costs a short scan and three additions. */
export class Distribution {
  readonly #bounds: readonly number[];
  /** By bucket; the last one counts values above every bound. */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  add(value: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++;
    (this.#counts[bucket] as number)++;
    this.#sum += value;
  }

  /** The number of values. */
  get count(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  get sum(): number {
    return this.#sum;
  }

  /** Returns the samples of a Prometheus histogram: cumulative buckets, sum, count. */
  samples(name: string, labels: Record<string, string>): Sample[] {
    const samples: Sample[] = [];
    let total = 0;
    for (const [bucket, count] of this.#counts.entries()) {
      total += count;
      const le = bucket < this.#bounds.length ? String(this.#bounds[bucket]) : "+Inf";
      samples.push({ metricName: `${name}_bucket`, labels: { ...labels, le }, value: total });
    }
    samples.push({ metricName: `${name}_sum`, labels, value: this.#sum });
    samples.push({ metricName: `${name}_count`, labels, value: total });
    return samples;
  }
}

interface Sample {
  metricName: string;
  labels: Record<string, string>;
  value: number;
}
