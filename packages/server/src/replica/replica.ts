import { openSync } from "node:fs";
import { pause } from "../base/timers.ts";
import { systemClock } from "../clock.ts";
import { isFatalStorageCode } from "../db/sqlite/driver.ts";
import type { ReplicaNumbers } from "../metrics/numbers.ts";
import type { Position } from "./chain-log.ts";
import { Claim, createChain, ReplicaRefusal } from "./claim.ts";
import { codeOf, Failures } from "./failures.ts";
import {
  BACK_MS,
  CHAIN_PAUSE_MS,
  FAREWELL_MS,
  LAST_PASSES,
  NOT_COPIED,
  NOT_MERGED,
  NOT_TAKEN,
  PASS_FRAMES,
  RETRY_MS,
  type ReplicaOptions,
  STEP,
  TICK_MS,
} from "./options.ts";
import { Snapshots } from "./snapshots.ts";
import { SPOOL_BYTES_MAX, Spool, type SpooledChain } from "./spool.ts";
import type { Ticked } from "./thread.ts";
import { ReplicaThread } from "./thread-acts.ts";
import { keepTidy, Uploads } from "./upload.ts";

/**
 * Copies SQLite's log into the replica, within a second, and takes the place of the server's own checkpoints
 * (docs/subsystems/replica.md). It never delays or refuses a write: whatever the replica does, the log goes on.
 */
export class Replica {
  readonly #options: ReplicaOptions;
  readonly thread = new ReplicaThread();
  readonly #spool: Spool;
  readonly #writer: string;
  readonly #claim: Claim;
  readonly #snapshots: Snapshots;
  pageSize = 0;
  uploads: Uploads | undefined;
  position: Position | null = null;
  /** Why the next chain begins. */
  #reason = "the first one of this database's file";
  #leaving: Promise<void> | undefined;
  #leftAt = Number.NEGATIVE_INFINITY;
  #refusal: ReplicaRefusal | undefined;
  #log = 0;
  #next: number;
  #coveredAt: number;
  readonly failures: Failures;
  #file = -1;
  #isReady = false;
  #isClosing = false;
  #loops: Promise<unknown> = Promise.resolve();

  /** Opens the spool. Throws if it cannot be created. */
  constructor(options: ReplicaOptions) {
    const { path, clock, storage, database } = options;
    this.#options = options;
    this.#spool = new Spool(path);
    this.#writer = Buffer.from(clock.random(4)).toString("hex");
    const writers = this.#spool.writersWith(this.#writer);
    this.#claim = new Claim({ storage, clock, database, writer: this.#writer, writers });
    this.failures = new Failures(options.log, storage.place);
    this.#snapshots = new Snapshots(this, options);
    this.#next = this.#passFrames;
    this.#coveredAt = clock.now();
  }

  /** Opens the database's file, and goes on with the chain in the spool if nothing is missing. Asks no other server. */
  async start(): Promise<void> {
    const { path, epoch, storage, log } = this.#options;
    // Nobody ever closes this: closing a file drops the locks that SQLite holds on it (rule 10).
    this.#file = openSync(path, "r");
    await this.#openThread();
    const found = this.#spool.read(epoch);
    if (found === null || !(await this.#resume(found))) this.#spool.clear();
    log.info({ place: storage.place, chain: this.chain }, "the replica is on");
    const running = () => !this.#isClosing;
    this.#loops = Promise.all([
      this.#tickLoop(),
      this.#uploadLoop(),
      keepTidy(this, () => running() && this.#refusal === undefined),
      this.#snapshots.loop(running),
    ]);
  }

  async #openThread(): Promise<void> {
    this.pageSize = (await this.thread.act("open", { path: this.#options.path, file: this.#file })).pageSize;
  }

  /** Copies all that is committed, seals the log, and closes. The rest stays in the spool. */
  async close(): Promise<void> {
    const { clock, log } = this.#options;
    this.#isClosing = true;
    const end = clock.monotonic() + FAREWELL_MS;
    const isQuiet = await Promise.race([this.#loops.then(() => true), pause(FAREWELL_MS, { unref: true })]);
    try {
      for (let tries = 0; tries < LAST_PASSES && !(await this.#pass()); tries += 1) await pause(TICK_MS / 4);
      while (isQuiet === true && this.#isReady && clock.monotonic() < end)
        if ((await this.uploads?.next()) !== true) break;
    } catch (error) {
      log.warn({ err: error }, "the replica is not complete; the rest follows after the next start");
    }
    await this.thread.act("close", {});
    this.thread.end();
  }

  get numbers(): ReplicaNumbers {
    const now = this.#options.clock.now();
    const snapshotAt = this.#snapshots.newest?.at;
    return {
      state: this.#state,
      ageSeconds: Math.max(0, now - this.#coveredAt) / 1000,
      waitingBytes: this.uploads?.waiting ?? 0,
      chain: Number(this.chain?.slice(0, 6) ?? 0),
      snapshotAgeSeconds: snapshotAt === undefined ? null : Math.max(0, now - snapshotAt) / 1000,
      failures: this.failures.count,
    };
  }

  get #state(): ReplicaNumbers["state"] {
    if (this.#refusal !== undefined) return this.#refusal.state;
    if (this.failures.lasts(NOT_TAKEN) || this.failures.lasts(NOT_MERGED)) return "away";
    if (this.uploads === undefined) return "waiting";
    return this.#snapshots.newest === null ? "snapshot" : "on";
  }

  /** The chain that is written; undefined while there is none, or while another server may write. */
  get chain(): string | undefined {
    return this.uploads?.chain;
  }

  /** True once this server is the replica's writer and knows what is there. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** The newest record that the replica has, with all before it. */
  get sent(): number {
    return this.uploads?.covered?.record ?? 0;
  }

  /** Copies what was committed. Returns true if there is more. */
  async tick(): Promise<boolean> {
    const now = this.#options.clock.now();
    const ticked = await this.thread.act("tick", { ahead: this.#ahead });
    this.#note(ticked, now);
    if (ticked.log < this.#log) this.#next = this.#passFrames;
    this.#log = ticked.log;
    if (ticked.log >= this.#next && !ticked.more) {
      this.#next = ticked.log + STEP;
      await this.#pass();
    }
    return ticked.more;
  }

  get #passFrames(): number {
    return this.#options.passFrames ?? PASS_FRAMES;
  }

  /** Returns false if another process writes now. */
  async #pass(): Promise<boolean> {
    const now = this.#options.clock.now();
    try {
      this.#note(await this.thread.act("pass", { ahead: this.#ahead }), now);
      return true;
    } catch (error) {
      if (codeOf(error).startsWith("SQLITE_BUSY")) return false;
      throw error;
    }
  }

  #note({ position, volumes }: Ticked, at: number): void {
    if (position === null) return;
    this.position = position;
    this.uploads?.add(volumes, { record: position.n, at });
  }

  async #resume({ chain, position, volumes }: SpooledChain): Promise<boolean> {
    const { storage } = this.#options;
    this.#reason = "the clock was set back";
    if (this.#isBack(position)) return false;
    this.#reason = "SQLite's log does not continue the chain";
    if (!(await this.thread.act("resume", { chain: this.#chainIn(chain), position, ahead: this.#ahead }))) return false;
    this.uploads = new Uploads(chain, { storage, spool: this.#spool, writer: this.#writer }, volumes);
    this.#coveredAt = position.at;
    return true;
  }

  #chainIn(chain: string) {
    return { folder: this.#spool.folderOf(chain), writer: this.#writer, epoch: this.#options.epoch };
  }

  get #ahead(): number {
    return this.#options.clock.now() - systemClock.now();
  }

  #isBack({ at }: Position): boolean {
    return this.#options.clock.now() < at - BACK_MS;
  }

  async #tickLoop(): Promise<void> {
    while (!this.#isClosing) {
      try {
        if (this.position !== null && this.#isBack(this.position)) await this.leave("the clock was set back");
        if (await this.tick()) continue;
        this.failures.succeeded(NOT_COPIED);
        if ((this.uploads?.spooled ?? 0) > (this.#options.spoolBytesMax ?? SPOOL_BYTES_MAX))
          await this.leave("too much waited for the replica");
      } catch (error) {
        await this.#tickFailed(error).catch((again) => this.failures.failed(again, NOT_COPIED));
      }
      await pause(TICK_MS);
    }
  }

  async #tickFailed(error: unknown): Promise<void> {
    const code = codeOf(error);
    if (isFatalStorageCode(code)) this.#options.onFatal(error);
    this.failures.failed(error, NOT_COPIED);
    // The thread ended, and its reader with it, so the log may have restarted: only a new chain is sure to have no gap.
    if (code === "NOT_OPEN") await this.#openThread();
    if (/^(CHAIN_BROKEN|ENOSPC|EDQUOT|NOT_OPEN)$/.test(code)) await this.leave((error as Error).message);
  }

  /** Gives the chain up: the log is free again, and the next chain begins with a snapshot as soon as it can. */
  leave(reason: string): Promise<void> {
    this.#leaving ??= this.#leave(reason).finally(() => {
      this.#leaving = undefined;
    });
    return this.#leaving;
  }

  async #leave(reason: string): Promise<void> {
    if (this.uploads === undefined) return;
    this.#options.log.warn({ chain: this.chain, reason }, "the replica's chain ends");
    await this.thread.act("leave", {});
    this.uploads = undefined;
    this.position = null;
    this.#snapshots.forget();
    this.#reason = reason;
    this.#leftAt = this.#options.clock.monotonic();
    this.#spool.clear();
  }

  async #uploadLoop(): Promise<void> {
    while (!this.#isClosing && this.#refusal === undefined) {
      const uploads = this.uploads;
      try {
        await this.#holdClaim();
        if (this.uploads === undefined && this.#leaving === undefined) await this.#begin();
        const isMore = (await this.uploads?.next()) === true;
        this.failures.succeeded(NOT_TAKEN);
        const covered = this.#snapshots.newest === null ? null : (this.uploads?.covered ?? null);
        if (covered !== null) this.#coveredAt = covered.at;
        if (!isMore) await pause(TICK_MS / 4);
      } catch (error) {
        if (uploads !== this.uploads) continue; // its chain was left, and its files are gone
        await this.#uploadFailed(error).catch((again) => this.failures.failed(again, NOT_TAKEN));
        await pause(RETRY_MS);
      }
    }
  }

  async #holdClaim(): Promise<void> {
    const spooled = this.uploads === undefined ? null : { chain: this.uploads.chain, volumes: this.uploads.former };
    const reason = await this.#claim.hold(spooled);
    if (reason !== null) await this.leave(reason);
    if (!this.#isReady && this.chain !== undefined) await this.#snapshots.find(this.chain);
    this.#isReady = true;
  }

  async #begin(): Promise<void> {
    const { storage, database, epoch, clock, log, chainPauseMs = CHAIN_PAUSE_MS } = this.#options;
    if (clock.monotonic() < this.#leftAt + chainPauseMs) return;
    const [at, writer, reason] = [clock.now(), this.#writer, this.#reason];
    const id = Buffer.from(clock.random(4)).toString("hex");
    const chain = await createChain(storage, { database, epoch, pageSize: this.pageSize, writer, at, reason }, id);
    this.#spool.begin(chain);
    this.uploads = new Uploads(chain, { storage, spool: this.#spool, writer }, []);
    try {
      await this.thread.act("begin", { chain: this.#chainIn(chain), ahead: this.#ahead });
      log.info({ chain, reason }, "the replica has a new chain");
    } catch (error) {
      await this.leave(reason);
      throw error;
    }
  }

  async #uploadFailed(error: unknown): Promise<void> {
    if (!(error instanceof ReplicaRefusal)) return this.failures.failed(error, NOT_TAKEN);
    this.#refusal = error;
    this.failures.failed(error, "this server does not write to the replica");
    await this.leave(error.message);
  }
}
