import { LoadingCache } from "../../base/loading-cache.ts";
import { type AppContext, usesMemory } from "../../context.ts";
import type { Db } from "../../db/db.ts";
import { onControl, onControlLost } from "./control.ts";
import type { ControlKind, ControlSubjects } from "./control-subjects.ts";

/** The keys that a cache forgets when it hears that something has changed, by the control messages that concern it. */
export type Forgetting<K extends {}, V> = {
  readonly [Kind in ControlKind]?: (cache: LoadingCache<K, V>, subject: ControlSubjects[Kind]) => void;
};

/**
 * Returns a cache of at most `max` rows, for `perServer`. The control messages in `forgetting` keep it right; it forgets
 * everything when this node may have missed some. Each writer of the rows must publish these messages.
 */
export function rowCache<K extends {}, V>(
  ctx: AppContext,
  max: number,
  forgetting: Forgetting<K, V>,
): LoadingCache<K, V> {
  const cache = new LoadingCache<K, V>(max);
  for (const kind of Object.keys(forgetting) as ControlKind[]) follow(ctx, cache, forgetting, kind);
  onControlLost(ctx, () => cache.clear());
  return cache;
}

function follow<K extends {}, V, Kind extends ControlKind>(
  ctx: AppContext,
  cache: LoadingCache<K, V>,
  forgetting: Forgetting<K, V>,
  kind: Kind,
): void {
  const forget = forgetting[kind];
  if (forget !== undefined) onControl(ctx, kind, (subject) => forget(cache, subject));
}

/**
 * Returns the row with a key: what is remembered, synchronously, or what `read` finds, which is then remembered. Inside a
 * transaction, and while rights are decided again, it reads on the context's connection and remembers nothing.
 */
export function rowOf<K extends {}, V>(
  ctx: AppContext,
  cache: LoadingCache<K, V>,
  key: NoInfer<K>,
  read: (db: Db) => Promise<V>,
): V | Promise<V> {
  if (!usesMemory(ctx)) return read(ctx.db);
  const found = cache.get(key);
  return found === undefined ? cache.load(key, () => read(ctx.db)) : found;
}
