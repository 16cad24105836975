import type { Block } from "@parley/protocol/accounts";
import { BLOCKS_PER_USER } from "@parley/protocol/limits";
import { isoTime } from "../../base/iso-time.ts";
import { type AppContext, perServer, usesMemory } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import type { MemberKey, UserIdentity } from "../../http/identity.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { rowCache } from "../../realtime/control/row-cache.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { userTopic } from "../../realtime/topics.ts";
import { lockUser } from "../accounts.store.ts";
import { lookUpNames, type Named } from "../names/name-directory.ts";
import { nameKey } from "../names/names.ts";
import * as store from "./blocks.store.ts";

const BLOCKERS_KEPT = 50_000;
const NOBODY: ReadonlySet<MemberKey> = new Set();

/** Caches the blocked keys by user id. Most users have blocked nobody and share one empty set. */
const blocks = perServer((ctx) =>
  rowCache<number, ReadonlySet<MemberKey>>(ctx, BLOCKERS_KEPT, {
    blocks_changed: (kept, userId) => kept.forget(userId),
  }),
);

/** Returns true if the user has blocked that user or agent. Synchronous on a cache hit. */
export function hasBlocked(ctx: AppContext, userId: number, other: MemberKey): boolean | Promise<boolean> {
  // Inside a transaction, read on its own connection.
  if (!usesMemory(ctx)) return store.isBlocked(ctx.db, userId, other);
  const found = blocks(ctx).get(userId);
  if (found !== undefined) return found.has(other);
  const load = async () => {
    const keys = await store.blockedKeys(ctx.db, userId);
    return keys.length === 0 ? NOBODY : new Set(keys);
  };
  return blocks(ctx)
    .load(userId, load)
    .then((keys) => keys.has(other));
}

/**
 * Throws if either of two users has blocked the other. The caller's own block is reported first, so that blocking
 * somebody does not reveal whether the block is mutual. Errors: `user_blocked` (by the caller), `blocked` (by the
 * other).
 */
export async function assertNotBlocked(ctx: AppContext, caller: UserIdentity, otherId: number): Promise<void> {
  if (await hasBlocked(ctx, caller.userId, `u${otherId}`)) throw fail("user_blocked");
  if (await hasBlocked(ctx, otherId, caller.key)) throw fail("blocked");
}

/** Lists everybody whom the caller has blocked, by name. */
export async function ownBlocks(ctx: AppContext, caller: UserIdentity): Promise<Block[]> {
  return (await store.listBlocks(ctx.db, caller.userId)).map(blockRecord);
}

/**
 * Blocks a user or an agent (protocol §2): no direct conversation with the caller, no notifications of mentions.
 * Idempotent. Errors: `user_not_found`, `invalid_request` (oneself), `block_limit_reached`.
 */
export async function blockName(ctx: AppContext, caller: UserIdentity, name: string): Promise<Block> {
  const named = await findOther(ctx, caller, name);
  const blocked = keyOf(named);
  return transact(ctx, async (ctx) => {
    // Of two calls at once, the second counts the block of the first.
    await lockUser(ctx.db, caller.userId);
    if (!(await store.isBlocked(ctx.db, caller.userId, blocked))) {
      if ((await store.countBlocks(ctx.db, caller.userId)) >= BLOCKS_PER_USER) throw fail("block_limit_reached");
      await store.insertBlock(ctx.db, {
        blocker_id: caller.userId,
        blocked_key: blocked,
        user_id: named.kind === "user" ? named.id : null,
        agent_id: named.kind === "agent" ? named.id : null,
        created_at: ctx.clock.now(),
      });
      tellChange(ctx, caller, named, true);
    }
    const row = await store.findBlock(ctx.db, caller.userId, blocked);
    if (row === null) throw fail("user_not_found");
    return blockRecord(row);
  });
}

/** Removes a block; does nothing if there is none. Errors: `user_not_found`, `invalid_request` (oneself). */
export async function unblockName(ctx: AppContext, caller: UserIdentity, name: string): Promise<string> {
  const named = await findOther(ctx, caller, name);
  await transact(ctx, async (ctx) => {
    await store.deleteBlock(ctx.db, caller.userId, keyOf(named));
    tellChange(ctx, caller, named, false);
  });
  return named.name;
}

async function findOther(ctx: AppContext, caller: UserIdentity, name: string): Promise<Named> {
  const key = nameKey(name);
  const named = (await lookUpNames(ctx, [key])).get(key);
  if (named == null) throw fail("user_not_found");
  if (keyOf(named) === caller.key) {
    throw fail("invalid_request", { details: [{ path: "name", message: "must be another user or agent" }] });
  }
  return named;
}

const keyOf = ({ kind, id }: Named): MemberKey => (kind === "user" ? `u${id}` : `a${id}`);

function tellChange(ctx: AppContext, caller: UserIdentity, { kind, name }: Named, blocked: boolean): void {
  blocksChanged(ctx, caller.userId);
  publishEvent(ctx, userTopic(caller.userId), "block:update", { kind, name, blocked });
}

/**
 * Must be called after every change of a user's blocks: on commit, invalidates the cache here at once and on all nodes
 * shortly after.
 */
export const blocksChanged = (ctx: AppContext, userId: number): void => publishControl(ctx, "blocks_changed", userId);

function blockRecord({ user_id, name, created_at }: store.BlockRow): Block {
  return {
    kind: user_id === null ? "agent" : "user",
    name: name ?? "",
    created_at: isoTime(created_at),
  };
}
