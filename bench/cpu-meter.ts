import { readdirSync, readFileSync } from "node:fs";

const POLL_MS = 200;

/** Nanoseconds of CPU that a process and its living threads have used; undefined if it is gone. */
export function cpuNanoseconds(pid: number): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((sum, task) => {
      const [spent = "0"] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, "latin1").split(" ", 1);
      return sum + Number(spent);
    }, 0);
  } catch {
    return undefined;
  }
}

/** Groups of processes, by name: those that belong to a group now. A process may join or end at any time. */
export type Groups = Record<string, () => Promise<readonly number[]>>;

/**
 * Measures the CPU of groups of processes, far below the ticks of /proc/<pid>/stat: paced loads use little of it. Reads
 * all processes five times a second, so that those that end are counted almost to their end.
 */
export class CpuMeter {
  readonly #groups: Groups;
  readonly #first = new Map<number, number>();
  readonly #last = new Map<number, number>();
  readonly #members = new Map<string, Set<number>>();
  readonly #started = performance.now();
  readonly #timer: ReturnType<typeof setInterval>;
  #reading: Promise<void> = Promise.resolve();

  private constructor(groups: Groups) {
    this.#groups = groups;
    this.#timer = setInterval(() => {
      this.#reading = this.#reading.then(() => this.#read(false));
    }, POLL_MS);
  }

  static async start(groups: Groups): Promise<CpuMeter> {
    const meter = new CpuMeter(groups);
    await meter.#read(true);
    return meter;
  }

  async #read(isFirst: boolean): Promise<void> {
    for (const [name, find] of Object.entries(this.#groups)) {
      const members = this.#members.get(name) ?? new Set();
      this.#members.set(name, members);
      for (const pid of await find()) {
        const spent = cpuNanoseconds(pid);
        if (spent === undefined) continue;
        members.add(pid);
        if (!this.#first.has(pid)) this.#first.set(pid, isFirst ? spent : 0);
        this.#last.set(pid, spent);
      }
    }
  }

  /** Ends the measurement; returns its length and the CPU seconds of each group. */
  async stop(): Promise<{ seconds: number; cpu: Record<string, number> }> {
    clearInterval(this.#timer);
    await this.#reading;
    await this.#read(false);
    const cpu: Record<string, number> = {};
    for (const [name, members] of this.#members) {
      cpu[name] = [...members].reduce(
        (sum, pid) => sum + ((this.#last.get(pid) ?? 0) - (this.#first.get(pid) ?? 0)) / 1e9,
        0,
      );
    }
    return { seconds: (performance.now() - this.#started) / 1000, cpu };
  }
}
