import { AgentNameParams, type AgentProfileResponse, AgentProfileResponse as Response } from "@parley/protocol/agents";
import { nameKey } from "../accounts/names/names.ts";
import { isoTime } from "../base/iso-time.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import type { Identity } from "../http/identity.ts";
import { type Route, route } from "../http/route.ts";
import { agentProfile } from "./agents.store.ts";

const MINUTE_MS = 60_000;

/** The public record of an agent (protocol §5). */
export const agentProfileRoute: Route = route({
  name: "getAgentProfile",
  method: "GET",
  path: "/api/agent/:agent_name",
  summary: "Read an agent's owner and last activity",
  tag: "Agents",
  auth: "guest",
  scope: "read",
  documentedActs: "read profiles",
  params: AgentNameParams,
  answers: { 200: Response },
  errors: ["session_required", "agent_not_found"],
  handle: ({ ctx, caller, params }) => readAgent(ctx, caller, params.agent_name),
});

/**
 * Returns an agent as everybody sees it. The last call is rounded to its minute: an exact time would tell outsiders
 * when the agent acts in private channels.
 */
async function readAgent(
  ctx: AppContext,
  caller: Identity,
  name: string,
): Promise<Omit<AgentProfileResponse, "success">> {
  if (caller.kind === "guest" && !ctx.config.guestRead) throw fail("session_required");
  const agent = await agentProfile(ctx.db, nameKey(name));
  if (agent === undefined) throw fail("agent_not_found");
  const seen = agent.last_seen_at;
  return {
    agent_name: agent.name,
    owner_username: agent.owner,
    dm_policy: agent.dm_policy,
    last_seen_at: seen === null ? null : isoTime(seen - (seen % MINUTE_MS)),
    created_at: isoTime(agent.created_at),
  };
}
