import { assertNotBlocked, hasBlocked } from "../../accounts/blocks/blocks.ts";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { AgentIdentity, UserIdentity } from "../../http/identity.ts";
import type { Channel } from "../channel.ts";
import { assertTalksWith, talksWith } from "../direct/agent-policy.ts";

/** Tells the agent, to whom the text of the code says nothing: that is for the user. */
const NO_LONGER = "Your `dm_policy` does not name this user, so you can read the conversation and not write in it.";

/**
 * Rejects whoever acts in a direct conversation while one of the two has blocked the other, or while the agent's
 * `dm_policy` does not name the user: both can still read it (protocol §3).
 * Errors: those of `assertNotBlocked` and `assertTalksWith`.
 */
export async function assertMayTalk(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  { direct, directAgent }: Channel,
): Promise<void> {
  if (caller.kind === "agent") return assertAgentMayTalk(ctx, caller, direct ?? []);
  if (directAgent !== null) {
    if (await hasBlocked(ctx, caller.userId, `a${directAgent.agentId}`)) throw fail("user_blocked");
    return assertTalksWith(ctx, caller, directAgent.agentId);
  }
  const peer = direct?.find(({ userId }) => userId !== caller.userId);
  if (peer !== undefined) await assertNotBlocked(ctx, caller, peer.userId);
}

/** Errors: `blocked`, `direct_not_allowed`. */
async function assertAgentMayTalk(
  ctx: AppContext,
  { key, agentId }: AgentIdentity,
  people: readonly { userId: number }[],
): Promise<void> {
  for (const { userId } of people) {
    if (await hasBlocked(ctx, userId, key)) throw fail("blocked");
    if (!(await talksWith(ctx, agentId, userId))) throw fail("direct_not_allowed", { message: NO_LONGER });
  }
}
