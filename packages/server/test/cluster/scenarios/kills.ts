import { expect } from "bun:test";
import { Crowd } from "../../support/cluster/crowd.ts";
import { Lab } from "../../support/cluster/lab.ts";
import { percentile, type Scenario } from "../../support/cluster/scenario.ts";

/** Guarantee P8: the clients of a killed node are caught up on another one within 3 s, and nothing is lost. */
export const kills: Scenario<{ nodes: number; kills: number; writers: number; readers: number; maxReturnMs: number }> =
  {
    name: "kills",
    title: "the clients of a killed node are soon caught up on another one",
    // A busy machine may take longer, but clients must not wait for the 15 s after which a silent node is dead.
    short: { nodes: 3, kills: 2, writers: 6, readers: 12, maxReturnMs: 12_000 },
    long: { nodes: 3, kills: 200, writers: 12, readers: 24, maxReturnMs: 3_000 },
    async run({ nodes, kills, writers, readers, maxReturnMs }, say) {
      await using lab = await Lab.open(nodes);
      const crowd = await Crowd.gather(lab, { writers, readers });
      let isOver = false;
      const writing = crowd.write(() => isOver);
      for (let n = 0; n < kills; n++) {
        const victim = lab.node(n);
        // At any moment of a batch, of a heartbeat, of another client's return.
        await new Promise((resolve) => setTimeout(resolve, 100 + ((n * 37) % 400)));
        await victim.kill();
        await new Promise((resolve) => setTimeout(resolve, (n * 53) % 500));
        await victim.start();
        if (n % 10 === 9) say(`${n + 1} kills, ${crowd.written} messages`);
      }
      isOver = true;
      await writing;
      const verdict = await crowd.conclude();
      const returns = crowd.readers.flatMap((reader) => reader.returns);
      const [returnMsP50, returnMsP99] = [percentile(returns, 50), percentile(returns, 99)];
      say(`${returns.length} returns: ${returnMsP50} ms in the median, ${returnMsP99} ms at the 99th percentile`);
      expect(returns.length).toBeGreaterThan(0);
      expect(returnMsP99).toBeLessThanOrEqual(maxReturnMs);
      return { ...verdict, kills, returns: returns.length, returnMsP50, returnMsP99 };
    },
  };
