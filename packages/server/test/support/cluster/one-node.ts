import type { Cluster } from "../../../src/cluster/cluster.ts";

/** A cluster of this node alone, to test what a node does without starting several. Nothing reports other nodes. */
export const oneNode: Cluster = {
  nodeId: "alone",
  nodes: [],
  heartbeatAgeMs: 0,
  onNodes() {},
  onRejoined() {},
  async refresh() {},
  async drain() {},
};
