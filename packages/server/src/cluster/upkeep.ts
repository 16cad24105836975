import type { AppContext } from "../context.ts";
import { isSqlite } from "../db/dialect.ts";
import { connectionProblem, readConnections } from "../db/postgres/connections.ts";
import { runOnOne } from "./duties.ts";
import { leases } from "./leases.ts";
import type { Nodes } from "./nodes.ts";

const FORGET_MS = 30_000;

/** Removes the rows of dead nodes, reports the state of the cluster to the metrics, and checks the settings. */
export function startClusterUpkeep(ctx: AppContext, nodes: Nodes): void {
  runOnOne(ctx, "remove dead nodes", FORGET_MS, "removing the rows of dead nodes failed", () => nodes.forgetDead());
  ctx.metrics.clusterFrom(() => ({
    id: nodes.nodeId,
    name: nodes.name,
    nodes: nodes.nodes.length,
    leases: leases(ctx).held.length,
    clockSkewMs: nodes.clockSkewMs,
    heartbeatAgeMs: nodes.heartbeatAgeMs,
  }));
  const check = () =>
    void checkConnections(ctx, nodes.nodes.length).catch((err: unknown) =>
      ctx.log.warn({ err }, "reading PostgreSQL's limit of connections failed"),
    );
  check();
  nodes.onNodes(({ joined }) => {
    if (joined.length > 0) check();
  });
}

async function checkConnections(ctx: AppContext, servers: number): Promise<void> {
  if (isSqlite(ctx.db)) return;
  const problem = connectionProblem(servers, ctx.config.postgresPool, await readConnections(ctx.db));
  if (problem !== null) ctx.log.warn(problem);
}
