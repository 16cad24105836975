import { LRUCache } from "lru-cache";
import { type AppContext, perServer } from "../../context.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { onControl, onControlLost } from "../../realtime/control/control.ts";

/** A key as the database has it, for authentication without SQL. */
export interface CachedKey {
  hash: Buffer;
  /** The end of the key's text; empty until the whole key was presented once. */
  checksum: string;
  revokedAt: number;
  /** The end that it was given when it was made; null: none. */
  expiresAt: number | null;
  paused: boolean;
  /** The verified owner and the end of their suspension (0: not suspended). Until then their agents are paused. */
  ownerId: number | null;
  ownerSuspendedUntil: number;
  identity: AgentIdentity;
}

export interface KeyCache {
  byId: LRUCache<string, CachedKey>;
  /** Incremented with every invalidation: a read that began before one is not cached after it. */
  generation: number;
  watchers: Map<string, Set<Watcher>>;
}

/** If it returns a promise, that is settled when the change is in force. */
type Watcher = () => unknown;

/** Beyond this number of keys in use at once, each additional one only costs a query. */
const CACHED_KEYS = 50_000;

/** The keys in use on this server. */
export const keyCache = perServer((ctx): KeyCache => {
  const cache: KeyCache = { byId: new LRUCache({ max: CACHED_KEYS }), generation: 0, watchers: new Map() };
  const forget = (keyId: string) => forgetKey(cache, keyId);
  const forgetWhere = async (isMeant: (key: CachedKey) => boolean) => {
    cache.generation++;
    const meant = [...cache.byId].filter(([, key]) => isMeant(key));
    await Promise.all(meant.map(([keyId]) => forget(keyId)));
  };
  onControl(ctx, "key_revoked", forget);
  onControl(ctx, "agent_changed", (agentId) => forgetWhere(({ identity }) => identity.agentId === agentId));
  const forgetOwned = (userId: number) => forgetWhere(({ ownerId }) => ownerId === userId);
  onControl(ctx, "user_suspended", forgetOwned);
  onControl(ctx, "user_changed", forgetOwned);
  onControlLost(ctx, () => {
    cache.generation++;
    const watched = new Set([...cache.byId.keys(), ...cache.watchers.keys()]);
    for (const keyId of watched) void forget(keyId);
  });
  return cache;
});

/** Removes the key from the cache and notifies its watchers, who check it again. Resolves when they have. */
export async function forgetKey(cache: KeyCache, keyId: string): Promise<void> {
  cache.generation++;
  cache.byId.delete(keyId);
  await Promise.all([...(cache.watchers.get(keyId) ?? [])].map((check) => check()));
}

/** Calls `onChange` whenever something about the key may have changed, until the returned function is called. */
export function watchKey(ctx: AppContext, keyId: string, onChange: Watcher): () => void {
  const { watchers } = keyCache(ctx);
  const set = watchers.get(keyId) ?? new Set();
  watchers.set(keyId, set.add(onChange));
  return () => {
    set.delete(onChange);
    if (set.size === 0 && watchers.get(keyId) === set) watchers.delete(keyId);
  };
}
