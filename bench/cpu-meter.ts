import { readdirSync, readFileSync } from "node:fs";

const POLL_MS = 200;

/** Nanoseconds of CPU that each living thread of a process has used, by `<pid>/<thread>`; empty if it is gone. */
function threadNanoseconds(pid: number): [string, number][] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((task) => {
      const [spent = "0"] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, "latin1").split(" ", 1);
      return [`${pid}/${task}`, Number(spent)];
    });
  } catch {
    return [];
  }
}

/** Groups of processes, by name: those that belong to a group now. A process, or a thread, may begin or end at any time. */
export type Groups = Record<string, () => Promise<readonly number[]>>;

/**
 * Measures the CPU of groups of processes, far below the ticks of /proc/<pid>/stat: paced loads use little of it. Reads
 * all threads five times a second, so that those that end are counted almost to their end: the compilers' threads do.
 */
export class CpuMeter {
  readonly #groups: Groups;
  readonly #first = new Map<string, number>();
  readonly #last = new Map<string, number>();
  readonly #members = new Map<string, Set<string>>();
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
        for (const [thread, spent] of threadNanoseconds(pid)) {
          members.add(thread);
          if (!this.#first.has(thread)) this.#first.set(thread, isFirst ? spent : 0);
          this.#last.set(thread, spent);
        }
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
        (sum, thread) => sum + ((this.#last.get(thread) ?? 0) - (this.#first.get(thread) ?? 0)) / 1e9,
        0,
      );
    }
    return { seconds: (performance.now() - this.#started) / 1000, cpu };
  }
}
