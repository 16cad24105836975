import { expect } from "bun:test";
import { Crowd } from "../../support/cluster/crowd.ts";
import { Lab } from "../../support/cluster/lab.ts";
import { percentile, type Scenario } from "../../support/cluster/scenario.ts";
import { PostgresCluster } from "../../support/faults/postgres-cluster.ts";

/** PostgreSQL is restarted under load: what was acknowledged stays, and every node goes on by itself. */
export const database: Scenario<{ nodes: number; restarts: number; writers: number; readers: number }> = {
  name: "database",
  title: "a restart of PostgreSQL under load loses nothing, and every node goes on by itself",
  short: { nodes: 3, restarts: 1, writers: 6, readers: 6 },
  long: { nodes: 3, restarts: 20, writers: 16, readers: 24 },
  async run({ nodes, restarts, writers, readers }, say) {
    await using postgres = await PostgresCluster.start();
    await using lab = await Lab.open(nodes, {}, postgres.url("postgres", {}, "postgres", "127.0.0.1"));
    const crowd = await Crowd.gather(lab, { writers, readers });
    let isOver = false;
    const writing = crowd.write(() => isOver);
    const returns: number[] = [];
    const written = async (count: number) => {
      const from = crowd.written;
      while (crowd.written < from + count) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    for (let n = 0; n < restarts; n++) {
      await written(100);
      await postgres.restart();
      const upAt = performance.now();
      await written(10 * writers);
      returns.push(performance.now() - upAt);
      say(`${n + 1} restarts, ${crowd.written} messages`);
    }
    isOver = true;
    await writing;
    const verdict = await crowd.conclude();
    expect(lab.nodes.every((node) => node.server.isRunning)).toBe(true);
    return { ...verdict, restarts, returnMsMax: percentile(returns, 100) };
  },
};
