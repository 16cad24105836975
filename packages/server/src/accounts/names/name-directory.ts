import { LRUCache } from "lru-cache";
import { type AppContext, perServer } from "../../context.ts";
import { onControl, onControlLost, publishControl } from "../../realtime/control/control.ts";
import { findNames } from "./names.store.ts";

/** The user or agent that holds a name. */
export interface Named {
  kind: "user" | "agent";
  id: number;
  /** The name in its owner's spelling. */
  name: string;
}

const KEPT_MAX = 20_000;
/** Free names may be claimed by another process, so they expire sooner; claimed ones rarely change. */
const FREE_MS = 1_000;
const CLAIMED_MS = 60_000;

interface Kept {
  named: Named | null;
  until: number;
}

const directory = perServer((ctx) => {
  const made = { kept: new LRUCache<string, Kept>({ max: KEPT_MAX }), generation: 0 };
  onControl(ctx, "name_retired", (key) => {
    made.generation += 1;
    made.kept.delete(key);
  });
  onControlLost(ctx, () => {
    made.generation += 1;
    made.kept.clear();
  });
  return made;
});

/** Returns the holders of the name keys; null for free ones. Synchronous when all are cached. */
export function lookUpNames(
  ctx: AppContext,
  keys: readonly string[],
): Map<string, Named | null> | Promise<Map<string, Named | null>> {
  const { kept } = directory(ctx);
  const now = ctx.clock.monotonic();
  const found = new Map<string, Named | null>();
  const unknown: string[] = [];
  for (const key of keys) {
    const entry = kept.get(key);
    if (entry !== undefined && entry.until > now) found.set(key, entry.named);
    else unknown.push(key);
  }
  return unknown.length === 0 ? found : readNames(ctx, unknown, found);
}

async function readNames(
  ctx: AppContext,
  keys: string[],
  found: Map<string, Named | null>,
): Promise<Map<string, Named | null>> {
  const { kept, generation } = directory(ctx);
  const rows = await findNames(ctx.db, keys);
  const byKey = new Map(
    rows.map((row) => [row.name_key, { kind: row.kind, id: row.user_id ?? row.agent_id ?? 0, name: row.name }]),
  );
  const now = ctx.clock.monotonic();
  // Results read before a retirement may be stale and are not cached.
  const isCurrent = generation === directory(ctx).generation;
  for (const key of keys) {
    const named = byKey.get(key) ?? null;
    if (isCurrent) kept.set(key, { named, until: now + (named === null ? FREE_MS : CLAIMED_MS) });
    found.set(key, named);
  }
  return found;
}

/** Evicts a name that was just claimed on this node. */
export function forgetName(ctx: AppContext, key: string): void {
  directory(ctx).kept.delete(key);
}

/** Announces to all nodes, after the commit, that a name no longer has a holder. */
export function publishRetiredName(ctx: AppContext, key: string): void {
  publishControl(ctx, "name_retired", key);
}
