import type { Interaction } from "@parley/protocol/cards";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { tryLockChannel } from "../../event-log/events.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { isInScope } from "../../http/key-scopes.ts";
import { findMessage } from "../messages.store.ts";
import { changeInteraction } from "./changes.ts";
import { channelOf } from "./channel-of.store.ts";
import { interactionRecord } from "./interaction-record.ts";
import { findInteraction, lockInteraction, pressesOf } from "./interactions.store.ts";

/**
 * Cancels a question of the calling agent; idempotent. Errors: `interaction_not_found`, `channel_not_in_scope`,
 * `interaction_closed`.
 */
export async function cancelInteraction(ctx: AppContext, caller: AgentIdentity, id: number): Promise<Interaction> {
  return transact(ctx, async (ctx) => {
    const found = await findInteraction(ctx.db, id);
    if (found === undefined || found.agent_id !== caller.agentId) throw fail("interaction_not_found");
    if (!isInScope(caller, found.channel_id)) throw fail("channel_not_in_scope");
    const isLive = await tryLockChannel(ctx, found.channel_id);
    const row = (await lockInteraction(ctx.db, id)) ?? found;
    const record = interactionRecord(row, await pressesOf(ctx.db, row));
    if (row.status === "cancelled") return record;
    if (row.status !== "open") throw fail("interaction_closed", { details: { interaction: record } });
    const { slug } = await channelOf(ctx.db, row.channel_id);
    const message = isLive ? await findMessage(ctx.db, id) : undefined;
    const end = { status: "cancelled" as const, pressId: null };
    const by = { username: `agent:${caller.agentId}` };
    return changeInteraction(
      ctx,
      row,
      { end, press: null, by, reason: "agent" },
      { channelSlug: slug, message: message ?? null },
    );
  });
}
