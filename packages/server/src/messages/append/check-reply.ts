import { mayManage, roleIn } from "../../channels/access/access.ts";
import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { type AppError, fail } from "../../errors.ts";
import type { MessageRow } from "../../event-log/message-json.ts";
import { summaryOf } from "../../event-log/thread-summary.ts";
import type { AgentIdentity, UserIdentity } from "../../http/identity.ts";
import { mentionedIn } from "../mentions/resolve-mentions.ts";
import { findByClientKeys, findMessage } from "../messages.store.ts";

/** What a message that is to be sent answers, if anything. */
interface Answering {
  caller: UserIdentity | AgentIdentity;
  channel: Channel;
  replyToId?: number | null | undefined;
  threadRootId?: number | null | undefined;
}

/** The thread of a reply. */
export interface CheckedThread {
  rootId: number | null;
  /** True if the sender may also reply while the thread is locked. */
  mayReplyLocked: boolean;
}

const NO_THREAD: CheckedThread = { rootId: null, mayReplyLocked: false };

/**
 * Checks what a message answers: the target of a quote, and the root of its thread, are in the same channel. Under
 * `mention_only` an agent answers a message that mentions it, or in the thread of one. A retry of a reply that is stored
 * passes whatever has happened to the thread since; `key` is its client key.
 * Errors: `message_not_found`, `message_deleted`, `not_a_thread_root`, `thread_locked`, `agents_not_allowed`.
 */
export async function checkReply(ctx: AppContext, input: Answering, key: string | null): Promise<CheckedThread> {
  const { caller, channel, replyToId, threadRootId } = input;
  const target = replyToId == null ? null : await findMessage(ctx.db, replyToId);
  if (target === undefined || (target !== null && target.channel_id !== channel.id)) throw fail("message_not_found");
  if (target !== null && target.deleted_at !== null) throw fail("message_deleted");
  const root = threadRootId == null ? null : await findMessage(ctx.db, threadRootId);
  const mayReplyLocked = root != null && mayManage(caller, await roleIn(ctx, caller, channel), "moderator");
  const refusal = root === null ? null : refusalOf(root, channel.id, mayReplyLocked);
  if (refusal !== null && !(await isStored(ctx, key))) throw refusal;
  if (root != null && mayReplyLocked) rememberModerator(ctx, channel, root.id);
  if (caller.kind === "agent" && channel.agent_policy === "mention_only")
    await checkSpokenTo(ctx, channel, caller, [target, root ?? null]);
  return threadRootId == null ? NO_THREAD : { rootId: threadRootId, mayReplyLocked };
}

/** Decides again about a moderator's reply: without their role they may reply only if the thread is not locked. */
function rememberModerator(ctx: AppContext, channel: Channel, rootId: number): void {
  ctx.act?.remember(async (ctx, now) => {
    const isModerator = mayManage(now, await roleIn(ctx, now, channel), "moderator");
    const refusal = refusalOf(await findMessage(ctx.db, rootId), channel.id, isModerator);
    if (refusal !== null) throw refusal;
  }, channel.id);
}

/** Returns why nobody, or not this sender, can reply in the thread of a message; null if they can. */
export function refusalOf(root: MessageRow | undefined, channelId: number, mayReplyLocked: boolean): AppError | null {
  if (root === undefined || root.channel_id !== channelId) return fail("message_not_found");
  if (root.thread_root_id !== null) return fail("not_a_thread_root");
  if (root.deleted_at !== null) return fail("message_deleted");
  return summaryOf(root.thread).isLocked && !mayReplyLocked ? fail("thread_locked") : null;
}

/** True if a message with this client key is stored. */
export const isStored = async (ctx: AppContext, key: string | null): Promise<boolean> =>
  key !== null && (await findByClientKeys(ctx.db, [key])).length > 0;

/**
 * Checks the `mention_only` condition for an agent's replies and reactions: one of the messages mentions the agent.
 * Errors: `agents_not_allowed`.
 */
export async function checkSpokenTo(
  ctx: AppContext,
  channel: Channel,
  caller: AgentIdentity,
  targets: readonly (MessageRow | null)[],
): Promise<void> {
  for (const target of targets) if (target !== null && (await mentions(ctx, channel, caller, target))) return;
  throw fail("agents_not_allowed", {
    message: "In this channel an agent may only reply to a message that mentions it.",
  });
}

async function mentions(
  ctx: AppContext,
  channel: Channel,
  caller: AgentIdentity,
  target: MessageRow,
): Promise<boolean> {
  // Resolve with the message's author as sender, or the agent would be omitted as mentioning itself.
  const sender = { kind: "user", userId: target.user_id ?? 0 } as UserIdentity;
  const { agents } = await mentionedIn(ctx, channel, sender, target.content);
  return agents.some(({ agentId }) => agentId === caller.agentId);
}
