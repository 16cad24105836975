import { startBackgroundJob } from "../../base/background-job.ts";
import { runOnOne } from "../../cluster/duties.ts";
import { type AppContext, perServer } from "../../context.ts";
import type { Db } from "../../db/db.ts";
import { transact } from "../../db/transact.ts";

/** How soon the other nodes learn that a page came to the front, or left it. A push waits longer than this. */
const WRITE_MS = 1_000;
const SWEEP_MS = 60 * 60 * 1_000;
/** Rows written in one transaction. */
const BATCH = 200;

/**
 * The users who have a page in front of them, by the number of their sockets on this node that say so. In a cluster the
 * other nodes find this node's users in the database; rows of nodes that ended do not count.
 */
export class VisiblePages {
  readonly #ctx: AppContext;
  readonly #counts = new Map<number, number>();
  /** Users with a row of this node. */
  readonly #written = new Set<number>();
  /** Users whose row may be wrong. */
  readonly #changed = new Set<number>();

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
  }

  /** Adds to the number of the user's visible pages here. */
  count(userId: number, change: 1 | -1): void {
    const count = (this.#counts.get(userId) ?? 0) + change;
    if (count > 0) this.#counts.set(userId, count);
    else this.#counts.delete(userId);
    if (this.#ctx.cluster !== null) this.#changed.add(userId);
  }

  /** Returns those of the users who have a visible page, here or on another node. */
  async among(userIds: readonly number[]): Promise<Set<number>> {
    const found = new Set(userIds.filter((userId) => this.#counts.has(userId)));
    const { cluster, db } = this.#ctx;
    const others = cluster?.nodes.map(({ id }) => id).filter((id) => id !== cluster.nodeId) ?? [];
    const asked = userIds.filter((userId) => !found.has(userId));
    for (const userId of await visibleOn(db, asked, others)) found.add(userId);
    return found;
  }

  start(): void {
    const ctx = this.#ctx;
    const { cluster } = ctx;
    if (cluster === null) return;
    cluster.onRejoined(() => {
      // Its id is new, and its rows are gone.
      this.#written.clear();
      for (const userId of this.#counts.keys()) this.#changed.add(userId);
    });
    startBackgroundJob(ctx, WRITE_MS, "telling which pages are visible failed", () => this.#write(cluster.nodeId));
    runOnOne(ctx, "sweep visible pages", SWEEP_MS, "the sweep of visible pages failed", () =>
      deleteOfEndedNodes(ctx.db),
    );
    ctx.onClose(() => deleteOfNode(ctx.db, cluster.nodeId));
  }

  async #write(nodeId: string): Promise<void> {
    const users = [...this.#changed].slice(0, BATCH).sort((a, b) => a - b);
    if (users.length === 0) return;
    for (const userId of users) this.#changed.delete(userId);
    const shown = users.filter((userId) => this.#counts.has(userId) && !this.#written.has(userId));
    const hidden = users.filter((userId) => !this.#counts.has(userId) && this.#written.has(userId));
    try {
      await transact(this.#ctx, async (ctx) => {
        await insertVisible(ctx.db, nodeId, shown);
        await deleteVisible(ctx.db, nodeId, hidden);
      });
    } catch (error) {
      for (const userId of users) this.#changed.add(userId);
      throw error;
    }
    for (const userId of shown) this.#written.add(userId);
    for (const userId of hidden) this.#written.delete(userId);
  }
}

export const visiblePages = perServer((ctx): VisiblePages => new VisiblePages(ctx));

/** Returns those of the users who have a visible page on one of the nodes. */
async function visibleOn(db: Db, userIds: readonly number[], nodeIds: readonly string[]): Promise<number[]> {
  if (userIds.length === 0 || nodeIds.length === 0) return [];
  const rows = await db
    .selectFrom("visible_pages")
    .select("user_id")
    .where("user_id", "in", userIds)
    .where("node_id", "in", nodeIds)
    .execute();
  return rows.map(({ user_id }) => user_id);
}

async function insertVisible(db: Db, node_id: string, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
  await db
    .insertInto("visible_pages")
    .values(userIds.map((user_id) => ({ user_id, node_id })))
    .onConflict((conflict) => conflict.columns(["user_id", "node_id"]).doNothing())
    .execute();
}

async function deleteVisible(db: Db, nodeId: string, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
  await db.deleteFrom("visible_pages").where("node_id", "=", nodeId).where("user_id", "in", userIds).execute();
}

async function deleteOfNode(db: Db, nodeId: string): Promise<void> {
  await db.deleteFrom("visible_pages").where("node_id", "=", nodeId).execute();
}

async function deleteOfEndedNodes(db: Db): Promise<void> {
  await db
    .deleteFrom("visible_pages")
    .where("node_id", "not in", (eb) => eb.selectFrom("nodes").select("nodes.id"))
    .execute();
}
