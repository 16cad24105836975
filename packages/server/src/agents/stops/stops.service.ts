import type { StopAgentBody } from "@parley/protocol/agent-sessions";
import { audit } from "../../audit/audit.ts";
import { isByLevel, mayManage, readableChannel, roleIn } from "../../channels/access/access.ts";
import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { decide } from "../../http/acts/act.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { findAgent, lockAgent } from "../agent-control.ts";
import { noteStop } from "../inbox/agent-notices.ts";
import { failSession } from "../sessions/sessions.service.ts";
import { stopStream } from "../streams/end-stream.ts";
import { openAt } from "../streams/streams.service.ts";
import { hasAsked, type Work } from "./stops.store.ts";

/**
 * Stops what an agent does in a place (protocol §16.4): its message that grows ends with what it has, its session has failed,
 * and its program gets a notice. Returns false if it does nothing there. Errors: those of `readableChannel`, `forbidden`.
 */
export async function stopAgent(
  ctx: AppContext,
  caller: UserIdentity,
  channelId: number,
  { agent_id: agentId, thread_root_id: rootId = null }: StopAgentBody,
): Promise<boolean> {
  const channel = await readableChannel(ctx, caller, { id: channelId });
  const stream = await openAt(ctx, agentId, { channelId: channel.id, rootId });
  const answeredId = stream?.reply_to_id ?? null;
  const work: Work = { agentId, channelId: channel.id, rootId: rootId ?? answeredId, answeredId };
  const check = (ctx: AppContext, caller: UserIdentity) => reasonToStop(ctx, caller, channel, work);
  const reason = await decide(ctx, caller, check, channel.id);
  const isStopped = await transact(ctx, async (ctx) => {
    // Serializes what one agent begins and ends.
    await lockAgent(ctx, agentId);
    const wasWorking = work.rootId !== null && (await failSession(ctx, { ...work, rootId: work.rootId }));
    if (reason === "level") await audit(ctx, caller, "agent_stop", `channel:${channel.id}`, { agent_id: agentId });
    if (!wasWorking && stream === undefined) return false;
    noteStop(ctx, { agentId, channel, rootId });
    return true;
  });
  if (stream !== undefined) await stopStream(ctx.root, stream);
  return isStopped;
}

/** Returns by which right a user may stop an agent. Errors: `forbidden`. */
async function reasonToStop(
  ctx: AppContext,
  caller: UserIdentity,
  channel: Channel,
  work: Work,
): Promise<"owner" | "asked" | "role" | "level"> {
  const agent = await findAgent(ctx, work.agentId);
  if (agent?.owner_verified === 1 && agent.owner_user_id === caller.userId) return "owner";
  const role = await roleIn(ctx, caller, channel);
  if (channel.directAgent?.agentId === work.agentId && role !== null) return "asked";
  if (await hasAsked(ctx.db, caller.userId, work)) return "asked";
  if (channel.direct === null && mayManage(caller, role, "moderator")) return isByLevel(role) ? "level" : "role";
  throw fail("forbidden");
}
