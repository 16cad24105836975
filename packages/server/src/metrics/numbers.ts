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
  /** Called at each scrape. */
  searchLag: () => number;
  /** Bytes of recent messages and events in memory. Called at each scrape. */
  feedMemory: () => number;
  /** Called at each scrape; null: the database is on none of our disks. */
  disk: () => DiskSpace | null;
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
  /** Longest delay of the event loop since the last scrape, in seconds. */
  lag: number;
}

export interface RouteMeter {
  method: string;
  route: string;
  /** Requests by status. */
  statuses: Map<number, number>;
  durations: Distribution;
}
