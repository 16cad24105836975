import { expect } from "bun:test";
import { Crowd } from "../../support/cluster/crowd.ts";
import { Lab } from "../../support/cluster/lab.ts";
import { percentile, type Scenario } from "../../support/cluster/scenario.ts";

/** A rolling restart: node after node is stopped in order and started again, and no client notices a failure. */
export const rolling: Scenario<{ nodes: number; rounds: number; writers: number; readers: number }> = {
  name: "rolling",
  title: "a rolling restart under load refuses nothing and changes no online list",
  short: { nodes: 3, rounds: 1, writers: 6, readers: 9 },
  long: { nodes: 3, rounds: 10, writers: 32, readers: 50 },
  async run({ nodes, rounds, writers, readers }, say) {
    await using lab = await Lab.open(nodes);
    const crowd = await Crowd.gather(lab, { writers, readers });
    let lists = 0;
    let isOver = false;
    const writing = crowd.write(() => isOver);
    const stops: number[] = [];
    for (const reader of crowd.readers) {
      reader.onOther = (text) => {
        if (text.startsWith('{"event":"user:list"')) lists += 1;
      };
    }
    for (let round = 0; round < rounds; round++) {
      for (const node of lab.nodes) {
        const startedAt = performance.now();
        expect(await node.stop()).toBe(0);
        stops.push(performance.now() - startedAt);
        await node.start();
      }
      say(`${round + 1} rounds, ${crowd.written} messages, ${lists} lists`);
    }
    isOver = true;
    await writing;
    const verdict = await crowd.conclude();
    expect(crowd.refusals).toEqual({});
    return { ...verdict, rounds, lists, stopMsMax: percentile(stops, 100) };
  },
};
