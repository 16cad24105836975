import { LRUCache } from "lru-cache";
import { audit } from "../../audit/audit.ts";
import { type AppContext, perServer } from "../../context.ts";
import type { UserIdentity } from "../../http/identity.ts";

/** One audit line per reader, channel and minute is as informative as one per page and avoids a write on every read. */
const READ_AUDIT_MS = 60_000;
const READERS_KEPT = 1_000;

const lastReads = perServer(() => new LRUCache<string, number>({ max: READERS_KEPT }));

/** Audits an administrator's read of a private channel they do not belong to (protocol §1: "2+, audited"). */
export async function auditPrivateRead(ctx: AppContext, reader: UserIdentity, channelId: number): Promise<void> {
  const reads = lastReads(ctx);
  const key = `${reader.userId}:${channelId}`;
  const now = ctx.clock.monotonic();
  const last = reads.get(key);
  if (last !== undefined && now - last < READ_AUDIT_MS) return;
  await audit(ctx, reader, "channel_read", `channel:${channelId}`);
  ctx.afterCommit(() => reads.set(key, now));
}
