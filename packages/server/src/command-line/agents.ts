import type { OwnedAgent } from "@parley/protocol/claims";
import { PAGE_MAX } from "@parley/protocol/limits";
import { counted } from "../base/counted.ts";
import type { AppContext } from "../context.ts";
import { allAgents, pauseAtCommandLine } from "../key-claims/owned-agents.service.ts";
import { type Invocation, print, UsageError } from "./command.ts";
import { openTool, openWritingTool } from "./tool.ts";

export async function agentList(call: Invocation): Promise<number> {
  await using tool = await openTool(call);
  const agents = await everyAgent(tool.ctx);
  print(
    call,
    { agents },
    agents.length === 0
      ? "There are no agents."
      : agents.map((agent) => agentLine(agent, tool.ctx.clock.now())).join("\n"),
  );
  return 0;
}

async function everyAgent(ctx: AppContext): Promise<OwnedAgent[]> {
  const agents: OwnedAgent[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const page = await allAgents(ctx, { limit: PAGE_MAX, offset });
    agents.push(...page.agents);
    offset = page.next_offset;
  }
  return agents;
}

function agentLine(agent: OwnedAgent, now: number): string {
  const owner = agent.owner_username;
  // A rotated key may still work for some hours.
  const keys = (agent.keys ?? []).filter(({ revoked_at }) => revoked_at === null || Date.parse(revoked_at) > now);
  const channels = (agent.channels ?? []).map((channel) => channel.channel_slug);
  const parts = [
    String(agent.agent_id),
    agent.paused ? "paused" : "active",
    agent.agent_names.join(", ") || "no name yet",
    ...(owner === null ? [] : [`owner ${owner}${agent.owner_verified ? "" : " (not verified)"}`]),
    counted(keys.length, "key"),
    counted(agent.message_count ?? 0, "message"),
    ...((agent.dropped_mentions ?? 0) === 0 ? [] : [`${counted(agent.dropped_mentions ?? 0, "mention")} dropped`]),
    ...(channels.length === 0 ? [] : [`in ${channels.join(", ")}`]),
    agent.last_seen_at === null ? "never seen" : `last seen ${agent.last_seen_at}`,
  ];
  return parts.join("  ");
}

export const agentPause = (call: Invocation): Promise<number> => setPaused(call, true);
export const agentResume = (call: Invocation): Promise<number> => setPaused(call, false);

async function setPaused(call: Invocation, paused: boolean): Promise<number> {
  const [text = ""] = call.positionals;
  const agentId = Number(text);
  if (!/^[1-9][0-9]{0,15}$/.test(text) || !Number.isSafeInteger(agentId))
    throw new UsageError("<agent_id> must be a positive integer; list them with: agent list");
  await using tool = await openWritingTool(call);
  const agent = await pauseAtCommandLine(tool.ctx, agentId, paused);
  print(call, { agent }, `Agent ${agentId} is ${paused ? "paused" : "active"}.`);
  return 0;
}
