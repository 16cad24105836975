import { pause } from "../base/timers.ts";
import type { Clock } from "../clock.ts";
import type { Position } from "./chain-log.ts";
import type { Failures } from "./failures.ts";
import type { SnapshotFile } from "./format.ts";
import { TICK_MS } from "./options.ts";
import { removeOld } from "./retention.ts";
import { listSnapshots, takeSnapshot } from "./snapshot.ts";
import type { ReplicaStorage } from "./storage.ts";
import type { ReplicaThread } from "./thread-acts.ts";

const EVERY_MS = 24 * 60 * 60_000;
const RETRY_MS = 1_000;
const FAILED = "the snapshot or the removal of old ones failed";

/** The parts of the replica that snapshots need. */
interface Owner {
  readonly chain: string | undefined;
  readonly isReady: boolean;
  readonly position: Position | null;
  readonly pageSize: number;
  /** The newest record that the replica has, with all before it. */
  readonly sent: number;
  readonly thread: ReplicaThread;
  tick(): Promise<boolean>;
  readonly failures: Failures;
}

/** Takes a snapshot when a chain begins and each day after a change, and then removes what is too old. */
export class Snapshots {
  readonly #replica: Owner;
  readonly #options: { storage: ReplicaStorage; clock: Clock; days: number };
  #newest: SnapshotFile | null = null;
  #number = 0;

  constructor(replica: Owner, options: { storage: ReplicaStorage; clock: Clock; days: number }) {
    this.#replica = replica;
    this.#options = options;
  }

  /** The chain's newest complete snapshot. */
  get newest(): SnapshotFile | null {
    return this.#newest;
  }

  /** The chain has been left. */
  forget(): void {
    this.#newest = null;
    this.#number = 0;
  }

  /** Looks for the snapshots of a chain that goes on. */
  async find(chain: string): Promise<void> {
    const found = (await listSnapshots(this.#options.storage, chain)).at(-1);
    this.#newest = found?.file ?? null;
    this.#number = found?.number ?? 0;
  }

  async loop(isRunning: () => boolean): Promise<void> {
    while (isRunning()) {
      const { chain } = this.#replica;
      if (chain !== undefined && this.#replica.isReady && this.#isDue()) {
        try {
          await this.#take(chain, isRunning);
          this.#replica.failures.succeeded(FAILED);
        } catch (error) {
          this.#replica.failures.failed(error, FAILED);
          await pause(RETRY_MS);
        }
      }
      await pause(TICK_MS);
    }
  }

  #isDue(): boolean {
    const { position } = this.#replica;
    if (position === null || position.segment === 0) return false;
    const last = this.#newest;
    return last === null || (this.#options.clock.now() >= last.at + EVERY_MS && position.n > last.least.record);
  }

  async #take(chain: string, isRunning: () => boolean): Promise<void> {
    const { storage, clock, days } = this.#options;
    const replica = this.#replica;
    const isWanted = () => isRunning() && replica.chain === chain;
    const made = await takeSnapshot(
      {
        storage,
        chain,
        pageSize: replica.pageSize,
        isWanted,
        now: () => clock.now(),
        monotonic: () => clock.monotonic(),
        slice: (page) => replica.thread.act("slice", { page }),
        position: async () => {
          while (await replica.tick());
          if (replica.position === null) throw new Error("The chain has been left.");
          return replica.position;
        },
        uploaded: async (record) => {
          while (isWanted() && replica.sent < record) await pause(TICK_MS / 4);
        },
        failed: (error) => replica.failures.failed(error, FAILED),
      },
      this.#number + 1,
    );
    if (made === null) return;
    this.#newest = made;
    this.#number += 1;
    await removeOld(storage, { current: chain, days, now: clock.now() });
  }
}
