import { Crowd } from "../../support/cluster/crowd.ts";
import { Lab } from "../../support/cluster/lab.ts";
import { percentile, type Scenario } from "../../support/cluster/scenario.ts";

/** Guarantee P4: every reader on every node sees one order without gaps, also while nodes are killed. */
export const order: Scenario<{
  nodes: number;
  writers: number;
  readers: number;
  messages: number;
  killEveryMs: number;
}> = {
  name: "order",
  title: "every reader on every node sees one order without gaps while nodes are killed",
  short: { nodes: 3, writers: 16, readers: 12, messages: 4_000, killEveryMs: 2_000 },
  long: { nodes: 3, writers: 64, readers: 24, messages: 200_000, killEveryMs: 20_000 },
  async run({ nodes, writers, readers, messages, killEveryMs }, say) {
    await using lab = await Lab.open(nodes);
    const crowd = await Crowd.gather(lab, { writers, readers });
    const startedAt = performance.now();
    const isOver = () => crowd.written >= messages;
    let kills = 0;
    const killing = (async () => {
      for (let nextAt = startedAt + killEveryMs; !isOver(); ) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        if (performance.now() < nextAt || isOver()) continue;
        const victim = lab.node(kills++);
        await victim.kill();
        await victim.start();
        say(`${kills} kills, ${crowd.written} messages`);
        nextAt = performance.now() + killEveryMs;
      }
    })();
    await Promise.all([crowd.write(isOver), killing]);
    const seconds = (performance.now() - startedAt) / 1_000;
    say("reading the histories");
    const verdict = await crowd.conclude();
    const waits = [...crowd.writers.values()].flatMap((writer) => writer.waits);
    return {
      ...verdict,
      kills,
      pushed: crowd.readers.reduce((sum, { pushed }) => sum + pushed, 0),
      perSecond: Math.round(verdict.messages / seconds),
      ackMsP50: percentile(waits, 50),
      ackMsP99: percentile(waits, 99),
    };
  },
};
