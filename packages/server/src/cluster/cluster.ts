/** A node as its row in the database shows it. */
export interface ClusterNode {
  id: string;
  name: string;
  version: string;
  /** The newest migration that the node knows. */
  schema: number;
  /** The Redis servers the node uses, without passwords. */
  shards: string;
  state: "ready" | "draining";
}

export interface NodesChange {
  joined: readonly ClusterNode[];
  /** Nodes that ended or fell silent. One may be reported again, after its row was removed. */
  gone: readonly ClusterNode[];
}

/** The nodes that share one database, as this node last read them. */
export interface Cluster {
  /** This node's id. It changes when the node was declared dead and has registered again. */
  readonly nodeId: string;
  /** The nodes with a live row, this one included, as last read from the database. */
  readonly nodes: readonly ClusterNode[];
  /** Milliseconds since this node's last good heartbeat began. After 15 s the other nodes consider it dead. */
  readonly heartbeatAgeMs: number;
  /** Reports nodes that joined and ended since the last reading. */
  onNodes(handler: (change: NodesChange) => void): void;
  /**
   * Reports that the other nodes considered this one dead (paused, partitioned), and that it has registered again: it
   * must not trust what it holds in memory.
   */
  onRejoined(handler: () => void): void;
  /** Reads the nodes again, because an unknown one was heard. At most one reading at a time. Never rejects. */
  refresh(): Promise<void>;
  /** Shows the other nodes that this one is about to end. Never rejects. */
  drain(): Promise<void>;
}
