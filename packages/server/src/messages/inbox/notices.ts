import type { Notice } from "@parley/protocol/inbox";
import type { AppContext } from "../../context.ts";
import { insertItems } from "./inbox-rows.ts";
import { noticeFrame, noticeItem, publishItem, type StoredNotice } from "./item-frames.ts";

/** A notice for an agent. It names no user: what it says must stay true when an account is erased. */
export interface NewNotice {
  agentId: number;
  /** The name that is meant; null: all names of the agent. */
  agentName?: string | null;
  channel?: { id: number; slug: string } | null;
  notice: Notice;
}

/**
 * Puts a notice into an agent's inbox, in the caller's transaction, and publishes it after the commit. Call it last in
 * the transaction (`insertItems`).
 */
export async function addNotice(ctx: AppContext, { agentId, agentName, channel, notice }: NewNotice): Promise<void> {
  const stored: StoredNotice = { ...notice, channel_slug: channel?.slug ?? null };
  const row = {
    agent_id: agentId,
    agent_name: agentName ?? "",
    channel_id: channel?.id ?? 0,
    message_id: 0,
    kind: "notice" as const,
    notice: JSON.stringify(stored),
    created_at: ctx.clock.now(),
  };
  const [id = 0] = await insertItems(ctx.db, [row]);
  const frame = noticeFrame(noticeItem({ ...row, id }));
  ctx.afterCommit(() => publishItem(ctx.root, agentId, frame));
}
