import { HERE_REACH_MAX } from "@parley/protocol/here";
import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { membersAmong } from "./recipients.store.ts";
import type { MadeRow } from "./spans.store.ts";

const PAGE = 500;
/** A message that is handled later, after a standstill, reaches nobody: those who are online then are not those it called. */
const LATE_MS = 60_000;

/**
 * Returns whom these messages call with `@here`: the channel's members who are online there now, on any node (protocol
 * §5). Agents are not among them.
 */
export async function peopleHere(
  ctx: AppContext,
  channel: Channel,
  messages: readonly MadeRow[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const called = messages.filter(({ created_at }) => created_at > ctx.clock.now() - LATE_MS);
  if (called.length === 0) return new Map();
  const online: number[] = [];
  for (let offset = 0; offset < HERE_REACH_MAX; offset += PAGE) {
    const entries = await ctx.presence.page(channel.id, PAGE, offset);
    online.push(...entries.flatMap(({ kind, id }) => (kind === "user" ? [id] : [])));
    if (entries.length < PAGE) break;
  }
  const members = await membersAmong(ctx.db, channel.id, online);
  return new Map(called.map(({ id }) => [id, members]));
}
