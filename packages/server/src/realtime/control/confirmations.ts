import type { Cluster } from "../../cluster/cluster.ts";
import type { AppContext } from "../../context.ts";
import { commitsUnderWay } from "../../db/commits-under-way.ts";
import { confirmationTopic } from "../topics.ts";

/** The longest wait for what was being committed when a right ended (milliseconds). */
const SETTLED_MS = 2_000;
/**
 * The longest wait for the others: as long as a node waits for what it was committing. A node that is paused or cut off
 * trusts nothing after this time.
 */
const WAIT_MS = SETTLED_MS;
/** A node confirms at most once in this time to the same sender. */
const TOGETHER_MS = 1;

/** A change that waits to be answered. */
interface Waiting {
  /** The confirmations that are missing, as `<node id> <message id>`. */
  readonly left: Set<string>;
  end(): void;
}

/** Confirms control messages to their senders, and waits for the confirmations of this node's own. */
export class Confirmations {
  /** Where the other nodes send their confirmations; names this start of the node. */
  readonly address: string;
  readonly #ctx: AppContext;
  readonly #cluster: Cluster;
  readonly #waiting = new Set<Waiting>();
  /** Ids to be confirmed, by the sender's address. */
  #due = new Map<string, number[]>();

  constructor(ctx: AppContext, cluster: Cluster) {
    this.#ctx = ctx;
    this.#cluster = cluster;
    this.address = Buffer.from(ctx.clock.random(8)).toString("hex");
    const listening = ctx.hub.listen(confirmationTopic(this.address), (messages) => {
      for (const { frame } of messages) this.#note(frame);
    });
    ctx.onClose(listening);
    cluster.onNodes(({ gone }) => {
      for (const { id } of gone) this.#settle((missing) => missing.startsWith(`${id} `));
    });
  }

  /** Confirms, soon, that this node has handled the message. */
  confirm(sender: string, id: number): void {
    if (this.#due.size === 0) setTimeout(() => this.#send(), TOGETHER_MS).unref();
    const ids = this.#due.get(sender);
    if (ids === undefined) this.#due.set(sender, [id]);
    else ids.push(id);
  }

  #send(): void {
    const due = this.#due;
    this.#due = new Map();
    const event = "confirmed";
    for (const [sender, ids] of due) {
      const frame = `${this.#cluster.nodeId} ${ids.join(" ")}`;
      this.#ctx.broker.publishEverywhere(confirmationTopic(sender), [{ event, frame }]);
    }
  }

  /** Resolves when all other live nodes have confirmed the messages, at the latest after 2 s. */
  async of(ids: readonly number[]): Promise<void> {
    const { nodeId, nodes } = this.#cluster;
    const others = nodes.filter(({ id }) => id !== nodeId);
    if (others.length === 0) return;
    const began = this.#ctx.clock.monotonic();
    const left = new Set(others.flatMap((node) => ids.map((id) => `${node.id} ${id}`)));
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting: Waiting = { left, end: resolve };
    this.#waiting.add(waiting);
    const timer = setTimeout(resolve, WAIT_MS);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(waiting);
    this.#ctx.metrics.control.waited((this.#ctx.clock.monotonic() - began) / 1_000, left.size === 0);
  }

  #note(frame: string): void {
    const [node = "", ...ids] = frame.split(" ");
    const confirmed = new Set(ids.map((id) => `${node} ${id}`));
    this.#settle((missing) => confirmed.has(missing));
  }

  #settle(isSettled: (missing: string) => boolean): void {
    for (const { left, end } of this.#waiting) {
      for (const missing of left) if (isSettled(missing)) left.delete(missing);
      if (left.size === 0) end();
    }
  }
}

/**
 * Resolves when the commits that are under way on this node are over, after 2 s at the latest. A transaction that commits
 * later has not made its last check yet.
 */
export async function settledCommits({ root }: AppContext): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, SETTLED_MS);
  await Promise.race([commitsUnderWay(root.db).settled(), promise]);
  clearTimeout(timer);
}
