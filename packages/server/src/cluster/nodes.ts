import { hostname } from "node:os";
import manifest from "../../package.json" with { type: "json" };
import { pause } from "../base/timers.ts";
import type { Clock } from "../clock.ts";
import { readEpoch } from "../db/database.ts";
import type { Db } from "../db/db.ts";
import { MIGRATIONS } from "../db/migrations/migrations.ts";
import { isBelowFloor } from "../db/schema-number.ts";
import type { Log } from "../logging/log.ts";
import type { Cluster, ClusterNode, NodesChange } from "./cluster.ts";
import { insertNode, liveNodes, removeDead, removeNode, touchNode } from "./nodes.store.ts";

/** Short enough that a node misses two heartbeats before it is no longer ready, and seven before it is dead. */
const BEAT_MS = 2_000;
/** After this long, the next heartbeat does not wait for the answer to the last one. */
const PATIENCE_MS = 5_000;
/** How long an ending node waits for a database that does not answer. */
const LEAVE_MS = 1_000;
/** The least time between two readings of the nodes. */
const READ_EVERY_MS = 250;
/** A clock that differs more from the database's is reported. */
const SKEW_MS = 2_000;

interface Parts {
  db: Db;
  clock: Clock;
  log: Pick<Log, "info" | "warn" | "fatal" | "error">;
  /** The epoch with which this server started. */
  epoch: string;
  /** null: the name of the machine. */
  name: string | null;
  /** The Redis servers, without passwords. */
  shards: string;
  /** Called when this server must end and start again. */
  onFatal(error: unknown): void;
  /** Called once, when a newer release is about to remove what this one uses: this server must drain and end. */
  onOutdated(): void;
}

/** The node's row in the table `nodes`, kept alive by a heartbeat, and what the heartbeat reads about the others. */
export class Nodes implements Cluster {
  readonly #parts: Parts;
  #own: ClusterNode;
  #nodes: readonly ClusterNode[];
  /** Monotonic time at which the last good heartbeat began. */
  #goodAt: number;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;
  #beating: Promise<void> | null = null;
  #skewMs = 0;
  #isSkewReported = false;
  #isFailing = false;
  #isOver = false;
  #isOutdated = false;
  #timer: Timer | undefined;
  readonly #onNodes: ((change: NodesChange) => void)[] = [];
  readonly #onRejoined: (() => void)[] = [];
  #doubt: () => string | null = () => null;

  private constructor(parts: Parts) {
    const { clock, name, shards } = parts;
    this.#parts = parts;
    this.#goodAt = clock.monotonic();
    this.#own = {
      id: newId(clock),
      name: name ?? hostname(),
      version: manifest.version,
      schema: MIGRATIONS.length,
      shards,
      state: "ready",
    };
    this.#nodes = [this.#own];
  }

  /** Registers this node and keeps it alive until `leave`. Rejects if the database takes no writes. */
  static async join(parts: Parts): Promise<Nodes> {
    const nodes = new Nodes(parts);
    await nodes.#measured(() => insertNode(parts.db, nodes.#own));
    await nodes.#read();
    nodes.#timer = setInterval(() => void nodes.beat(), BEAT_MS);
    nodes.#timer.unref();
    return nodes;
  }

  get nodeId(): string {
    return this.#own.id;
  }

  /** The name by which the operator knows this node. */
  get name(): string {
    return this.#own.name;
  }

  get nodes(): readonly ClusterNode[] {
    return this.#nodes;
  }

  get heartbeatAgeMs(): number {
    return this.#parts.clock.monotonic() - this.#goodAt;
  }

  /** How far this node's clock is ahead of the database's, in milliseconds, as last measured. */
  get clockSkewMs(): number {
    return this.#skewMs;
  }

  onNodes(handler: (change: NodesChange) => void): void {
    this.#onNodes.push(handler);
  }

  onRejoined(handler: () => void): void {
    this.#onRejoined.push(handler);
  }

  /** Each heartbeat stores what `doubt` returns: why this node doubts the bus, or null. `parley doctor` shows it. */
  doubtFrom(doubt: () => string | null): void {
    this.#doubt = doubt;
  }

  /** Sends one heartbeat. Never rejects. One at a time, unless the last one takes longer than 5 s. */
  beat(): Promise<void> {
    this.#beating ??= Promise.race([this.#beat(), pause(PATIENCE_MS, { unref: true })]).finally(() => {
      this.#beating = null;
    });
    return this.#beating;
  }

  refresh(): Promise<void> {
    this.#reading ??= this.#readSoon().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async drain(): Promise<void> {
    this.#own = { ...this.#own, state: "draining" };
    await this.#beating;
    await this.beat();
  }

  /** Removes the rows of nodes that are long dead, and reports them gone once more. */
  async forgetDead(): Promise<void> {
    this.#report({ joined: [], gone: await removeDead(this.#parts.db) });
  }

  /**
   * Ends the heartbeat and removes the row, so that the others do not wait for this node. Takes a second at most, and
   * never rejects.
   */
  async leave(): Promise<void> {
    this.#isOver = true;
    clearInterval(this.#timer);
    await Promise.race([this.#signOff(), pause(LEAVE_MS, { unref: true })]);
  }

  async #signOff(): Promise<void> {
    await this.#beating;
    try {
      await removeNode(this.#parts.db, this.nodeId);
    } catch (err) {
      this.#parts.log.warn({ err }, "the node could not sign off; the others consider it dead in 15 s");
    }
  }

  async #beat(): Promise<void> {
    const { db, log, epoch } = this.#parts;
    try {
      const own = this.#own;
      const isAlive = await this.#measured(() => touchNode(db, own, this.#doubt()));
      if (!isAlive && !this.#isOver && own.id === this.nodeId) await this.#rejoin();
      if ((await readEpoch(db)) !== epoch) return this.#endOfHistory();
      if (!this.#isOutdated && (await isBelowFloor(db, own.schema))) this.#becomeOutdated();
      await this.#read();
      if (this.#isFailing) log.info({ node: this.nodeId }, "the heartbeat of this node works again");
      this.#isFailing = false;
    } catch (err) {
      if (this.#isOver) return;
      if (!this.#isFailing) log.warn({ err, node: this.nodeId }, "the heartbeat of this node failed");
      this.#isFailing = true;
    }
  }

  /** Runs a heartbeat's statement, which returns the database's time, or null if it did nothing. */
  async #measured(write: () => Promise<number | null>): Promise<boolean> {
    const { clock } = this.#parts;
    const [began, beganAt] = [clock.monotonic(), clock.now()];
    const databaseNow = await write();
    if (databaseNow === null) return false;
    // An answer that was abandoned may come after a newer one.
    this.#goodAt = Math.max(this.#goodAt, began);
    const took = clock.monotonic() - began;
    if (took < SKEW_MS / 2) this.#noteSkew(Math.round(beganAt + took / 2 - databaseNow));
    return true;
  }

  #noteSkew(ms: number): void {
    this.#skewMs = ms;
    const isFar = Math.abs(ms) >= SKEW_MS;
    if (isFar && !this.#isSkewReported) {
      this.#parts.log.warn(
        { aheadMs: ms },
        "this machine's clock differs from the database's; synchronize both, for example with chrony",
      );
    }
    this.#isSkewReported = isFar;
  }

  async #rejoin(): Promise<void> {
    const { db, clock, log } = this.#parts;
    const before = this.nodeId;
    const own = { ...this.#own, id: newId(clock) };
    await this.#measured(() => insertNode(db, own, before));
    this.#own = own;
    this.#nodes = this.#nodes.filter(({ id }) => id !== before);
    log.warn(
      { before, node: this.nodeId },
      "this node was silent for 15 s, so the others considered it dead; it joined again",
    );
    for (const handler of this.#onRejoined) this.#guarded(handler);
  }

  /** The data was restored or has lost its newest part: clients must load everything again, and no cache is right. */
  #endOfHistory(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    const { log, onFatal } = this.#parts;
    const text = "the data was restored or has lost its newest part; this server ends and must be started again";
    log.fatal({ node: this.nodeId }, text);
    onFatal(new Error(text));
  }

  #becomeOutdated(): void {
    this.#isOutdated = true;
    const { log, onOutdated } = this.#parts;
    log.error(
      { node: this.nodeId },
      "a newer release removes what this one needs from the database; this server drains",
    );
    onOutdated();
  }

  async #readSoon(): Promise<void> {
    const { clock, log } = this.#parts;
    const early = this.#readAt + READ_EVERY_MS - clock.monotonic();
    if (early > 0) await pause(early, { unref: true });
    try {
      await this.#read();
    } catch (err) {
      log.warn({ err }, "reading the nodes of the cluster failed");
    }
  }

  async #read(): Promise<void> {
    const began = this.#parts.clock.monotonic();
    const found = await liveNodes(this.#parts.db);
    // A slower reading that began earlier must not bring back a node that has ended.
    if (began < this.#readAt) return;
    this.#readAt = began;
    const before = this.#nodes;
    this.#nodes = found.some(({ id }) => id === this.nodeId) ? found : [...found, this.#own];
    const others = (all: readonly ClusterNode[], but: readonly ClusterNode[]) =>
      all.filter(({ id }) => id !== this.nodeId && !but.some((known) => known.id === id));
    this.#report({ joined: others(this.#nodes, before), gone: others(before, this.#nodes) });
  }

  #report(change: NodesChange): void {
    if (change.joined.length + change.gone.length === 0) return;
    for (const handler of this.#onNodes) this.#guarded(() => handler(change));
  }

  #guarded(handler: () => void): void {
    try {
      handler();
    } catch (err) {
      this.#parts.log.error({ err }, "a handler of changes of the cluster failed");
    }
  }
}

const newId = (clock: Clock): string => Buffer.from(clock.random(8)).toString("hex");
