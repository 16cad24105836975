import type { DiskSpace } from "./disk.ts";
import type { Distribution } from "./distribution.ts";

/** The counted values. */
export interface Numbers {
  readonly routes: RouteMeter[];
  readonly commits: Distribution;
  readonly batches: Distribution;
  /** Refusals by policy. */
  readonly refusals: Map<string, number>;
  messages: number;
  sockets: number;
  frames: number;
  slowReaders: number;
  hashQueue: number;
  pictureQueue: number;
  /** Files that were uploaded, with their bytes, and refusals by error code. */
  readonly files: { uploads: number; bytes: number; readonly refused: Map<string, number> };
  /** Called at each scrape. */
  searchLag: () => number;
  /** Bytes of recent messages and events in memory. Called at each scrape. */
  feedMemory: () => number;
  /** How often feeds repaired events that the broker delivered late or not at all. */
  readonly feeds: { early: number; gaps: number; tails: number };
  /** Called at each scrape; null: the database is on none of our disks. */
  disk: () => DiskSpace | null;
  /** Called at each scrape; null: no backups are scheduled. */
  backups: () => BackupNumbers | null;
  /** File descriptors of the process; null: not counted yet, or unknown. */
  openFiles: { open: number; limit: number } | null;
  /** Verification codes that are not given out yet. */
  codePool: number;
  /** Failures of chain RPC servers, by `<server> <reason>`. */
  readonly chainFailures: Map<string, number>;
  chainDisagreements: number;
  /** Payment proofs by outcome. */
  readonly payments: Map<string, number>;
  /** `oldest` is in epoch milliseconds; null: none is open. */
  payouts: { open: number; oldest: number | null; failed: number };
  /** Mismatches in the last comparison of payouts, ledger and wallets. */
  payoutMismatches: number;
  /** Balances of the treasury in whole units, by `<kind>:<chain id>:<currency>`. */
  readonly treasury: Map<string, { balance: number; isLow: boolean }>;
  /** Called at each scrape; null: the server sends no mail. */
  mail: () => MailNumbers | null;
  /** Called at each scrape; null: a lone server. */
  cluster: () => ClusterNumbers | null;
  /** Called at each scrape; null: there is no bus. */
  bus: () => BusNumbers | null;
  /** Longest delay of the event loop since the last scrape, in seconds. */
  lag: number;
}

/** The outbox of mails. */
export interface MailNumbers {
  /** Mails that have not ended, and how long the oldest has been due. */
  waiting: number;
  oldestSeconds: number;
  /** Mails of which nobody knows whether they were sent. */
  unsure: number;
  /** Addresses that get no more mail. */
  stopped: number;
  /** Nothing can be sent: the mail server is away, or refuses this server. */
  isHeld: boolean;
  /** Tries by what became of them. */
  outcomes: ReadonlyMap<string, number>;
}

/** The scheduled backups. */
export interface BackupNumbers {
  /** Age of the newest verified backup; without one, how long the server has waited for the first. */
  ageSeconds: number;
  /** Size of the newest one; null: there is none. */
  bytes: number | null;
  /** How long the last one took, with its check; null: this process has made none. */
  seconds: number | null;
  failures: number;
}

/** The cluster as this node sees it. */
export interface ClusterNumbers {
  /** This node's id and name. */
  id: string;
  name: string;
  /** Live nodes, this one included. */
  nodes: number;
  /** Leases that this node holds. */
  leases: number;
  /** How far this node's clock is ahead of the database's. */
  clockSkewMs: number;
  /** The time since the last good heartbeat of this node began. */
  heartbeatAgeMs: number;
}

/** The bus that connects the nodes of a cluster. */
export interface BusNumbers {
  shards: readonly BusShardNumbers[];
  /** Received publications that no node of this cluster made. */
  foreign: number;
}

/** One Redis server as a part of the bus. Heartbeats and own echoes are not counted, nor is what the network adds. */
export interface BusShardNumbers {
  /** Host and port. */
  redis: string;
  /** 0: no connection; 1: doubtful; 2: good. */
  state: 0 | 1 | 2;
  published: number;
  publishedBytes: number;
  received: number;
  receivedBytes: number;
  /** Publications for which there was no connection or no room. */
  dropped: number;
  /** Connections that were replaced. */
  reconnects: number;
}

export interface RouteMeter {
  method: string;
  route: string;
  /** Requests by status. */
  statuses: Map<number, number>;
  durations: Distribution;
}
