import { expect } from "bun:test";
import { Crowd } from "../../support/cluster/crowd.ts";
import { Lab } from "../../support/cluster/lab.ts";
import type { Reader } from "../../support/cluster/reader.ts";
import { type Figures, percentile, type Scenario } from "../../support/cluster/scenario.ts";

/** Writes at a steady pace, and notes when each message was sent, so that a reader can tell how late it came. */
class Delays {
  readonly #waits = new Map<string, number[]>();
  #phase = "";

  constructor(readers: readonly Reader[]) {
    for (const reader of readers) {
      reader.onMessage = (text) => {
        const sentAt = Number(/"content":"[^"]* at (\d+\.?\d*)/.exec(text)?.[1]);
        this.#waits.get(this.#phase)?.push(performance.now() - sentAt);
      };
    }
  }

  begin(phase: string): void {
    this.#phase = phase;
    this.#waits.set(phase, []);
  }

  of(phase: string): number[] {
    return this.#waits.get(phase) ?? [];
  }
}

/** Acknowledgements and failures of one phase. */
interface Sends {
  acks: number[];
  failures: number;
}

async function sendFor(crowd: Crowd, ms: number, everyMs: number): Promise<Sends> {
  const sends: Sends = { acks: [], failures: 0 };
  const until = performance.now() + ms;
  const under: Promise<void>[] = [];
  for (let n = 0; performance.now() < until; n++) {
    const sentAt = performance.now();
    const body = { channel_id: crowd.channelId, content: `n${n} at ${sentAt.toFixed(2)}` };
    under.push(
      crowd
        .ownerOn(n)
        .post("/api/messages", body)
        .then(
          ({ status }) => {
            if (status === 201) sends.acks.push(performance.now() - sentAt);
            else sends.failures += 1;
          },
          () => {
            sends.failures += 1;
          },
        ),
    );
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  await Promise.all(under);
  return sends;
}

/** Guarantees P7 and F9: what happens to Redis delays messages between nodes, and loses none. */
export const outage: Scenario<{ nodes: number; seconds: number; everyMs: number; rounds: number }> = {
  name: "outage",
  title: "Redis cut off, stopped, hanging and flushed loses nothing and fails no send",
  short: { nodes: 3, seconds: 1, everyMs: 15, rounds: 1 },
  long: { nodes: 3, seconds: 60, everyMs: 10, rounds: 2 },
  async run({ nodes, seconds, everyMs, rounds }, say) {
    await using lab = await Lab.open(nodes);
    const crowd = await Crowd.gather(lab, { writers: 0, readers: 2 * nodes });
    const delays = new Delays(crowd.readers);
    const figures: Figures = {};
    const phase = async (name: string) => {
      delays.begin(name);
      const { acks, failures } = await sendFor(crowd, seconds * 1_000, everyMs);
      expect({ name, failures }).toEqual({ name, failures: 0 });
      figures[`${name}AckMsP99`] = percentile(acks, 99);
      figures[`${name}DelayMsP50`] = percentile(delays.of(name), 50);
      figures[`${name}DelayMsP99`] = percentile(delays.of(name), 99);
      say(
        `${name}: acknowledged in ${figures[`${name}AckMsP99`]} ms, delivered in ${figures[`${name}DelayMsP99`]} ms (p99)`,
      );
    };
    for (let round = 0; round < rounds; round++) {
      await phase("normal");
      lab.history.fault("redis cut off", "begin");
      lab.bus.cut();
      await phase("cut");
      lab.bus.mend();
      lab.history.fault("redis cut off", "end");
      await phase("mended");
      lab.history.fault("redis stopped", "begin");
      await lab.redis.stop();
      await phase("stopped");
      await lab.redis.start();
      lab.history.fault("redis stopped", "end");
      await phase("restarted");
      lab.history.fault("redis paused", "begin");
      lab.redis.pause();
      await phase("paused");
      lab.redis.resume();
      lab.history.fault("redis paused", "end");
      await phase("resumed");
      await lab.redis.command("FLUSHALL");
      await phase("flushed");
    }
    const verdict = await crowd.conclude();
    return { ...figures, ...verdict };
  },
};
