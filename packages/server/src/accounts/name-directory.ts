import { type AppContext, perServer } from "../context.ts";
import { announce, onControl } from "../realtime/control.ts";
import { findNames } from "./names.store.ts";

/** Somebody a name stands for. */
export interface Named {
  kind: "user" | "agent";
  id: number;
  /** The name as its owner writes it. */
  name: string;
}

const KEPT_MAX = 20_000;
/** A name that is free now may be claimed by another process; one that is claimed stays for minutes at least. */
const FREE_MS = 1_000;
const CLAIMED_MS = 60_000;

interface Kept {
  named: Named | null;
  until: number;
}

const directory = perServer((ctx) => {
  const made = { kept: new Map<string, Kept>(), generation: 0 };
  onControl(ctx, "name_retired", (key) => {
    made.generation += 1;
    made.kept.delete(key);
  });
  return made;
});

/** Who the name keys stand for; null for free ones. Answers from memory where it can. */
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
  if (kept.size > KEPT_MAX) kept.clear();
  const now = ctx.clock.monotonic();
  // What was read before a name was retired may be of a time when it was not.
  const isCurrent = generation === directory(ctx).generation;
  for (const key of keys) {
    const named = byKey.get(key) ?? null;
    if (isCurrent) kept.set(key, { named, until: now + (named === null ? FREE_MS : CLAIMED_MS) });
    found.set(key, named);
  }
  return found;
}

/** Forgets what was kept of a name, because it was just claimed here. */
export function forgetName(ctx: AppContext, key: string): void {
  directory(ctx).kept.delete(key);
}

/** Tells every node, after the commit, that a name stands for nobody any more. */
export function announceRetired(ctx: AppContext, key: string): void {
  announce(ctx, "name_retired", key);
}
