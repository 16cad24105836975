import type { Notice } from "@parley/protocol/inbox";
import type { AppContext } from "../../context.ts";
import { beforeCommit } from "../../db/transact.ts";
import { deleteItems, insertItems, pendingNotices } from "./inbox-rows.ts";
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
 * Puts a notice into an agent's inbox, at the end of the caller's transaction, and publishes it after the commit. Of
 * pending notices of the same type, name, channel, budget and thread only the newest stays, so that nobody can fill an inbox with
 * them. `merge` makes the new notice of it and the one that it replaces.
 */
export function addNotice(
  ctx: AppContext,
  { agentId, agentName = null, channel = null, notice }: NewNotice,
  merge: (notice: Notice, replaced: Notice) => Notice = (notice) => notice,
): void {
  beforeCommit(ctx.db, async () => {
    const place = { agent_id: agentId, agent_name: agentName ?? "", channel_id: channel?.id ?? 0 };
    const pending = (await pendingNotices(ctx.db, place)).map(({ id, notice }) => {
      return { id, notice: JSON.parse(notice ?? "{}") as StoredNotice };
    });
    const replaced = pending.filter((other) => saysTheSame(other.notice, notice));
    await deleteItems(
      ctx.db,
      replaced.map(({ id }) => id),
    );
    const merged = replaced.reduce((newer, older) => merge(newer, older.notice), notice);
    const stored: StoredNotice = { ...merged, channel_slug: channel?.slug ?? null };
    const kind = "notice" as const;
    const row = { ...place, message_id: 0, kind, notice: JSON.stringify(stored), created_at: ctx.clock.now() };
    const [id = 0] = await insertItems(ctx.db, [row]);
    ctx.afterCommit(() => publishItem(ctx.root, agentId, noticeFrame(noticeItem({ ...row, id }))));
  });
}

/** The details that tell notices of one type apart: which budget or which thread they are about. */
const ABOUT = ["budget", "chain_id", "currency", "thread_root_id"] as const;

const saysTheSame = (one: Notice, other: Notice): boolean =>
  one.type === other.type && ABOUT.every((field) => one.details?.[field] === other.details?.[field]);
