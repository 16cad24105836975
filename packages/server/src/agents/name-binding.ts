import { LRUCache } from "lru-cache";
import { agentNameOf, checkAgentName, invalidAgentName, isPlatformAgent } from "../accounts/names/agent-names.ts";
import { forgetName } from "../accounts/names/name-directory.ts";
import { claimName, nameInTheWay, nameKey, nameTaken } from "../accounts/names/names.ts";
import { type AppContext, perServer } from "../context.ts";
import { fail } from "../errors.ts";
import { findName } from "./agents.store.ts";

const NAMES_KEPT = 50_000;

/** Cache by `<agent id> <text>` of the name as it is bound. Bindings never change, so entries never expire. */
const bound = perServer(() => new LRUCache<string, string>({ max: NAMES_KEPT }));

/**
 * Returns the name an agent speaks or logs in under, as it was first written. A name is bound to the first agent that
 * uses it (protocol §5); `PlatformAgent` is open to all. Sync for a name used before.
 * @throws invalid_agent_name, agent_name_taken
 */
export function bindAgentName(ctx: AppContext, agentId: number, text: string): string | Promise<string> {
  if (isPlatformAgent(text)) return text;
  const known = bound(ctx).get(`${agentId} ${text}`);
  return known ?? bind(ctx, agentId, text);
}

/**
 * Checks that the agent may use a name, without binding it: for acts that can fail after they have changed something.
 * @throws invalid_agent_name, agent_name_taken
 */
export async function checkNameOf(ctx: AppContext, agentId: number, text: string): Promise<void> {
  if (isPlatformAgent(text) || bound(ctx).has(`${agentId} ${text}`)) return;
  const name = agentNameOf(text);
  if (name === null) throw invalidAgentName(text);
  if (isPlatformAgent(name)) return;
  const holder = await findName(ctx.db, nameKey(name));
  if (holder !== undefined) {
    remember(ctx, agentId, text, holder);
    return;
  }
  checkAgentName(name);
  const inTheWay = await nameInTheWay(ctx.db, name);
  if (inTheWay !== null) throw nameTaken("agent_name_taken", name, inTheWay);
}

async function bind(ctx: AppContext, agentId: number, text: string): Promise<string> {
  const name = agentNameOf(text);
  if (name === null) throw invalidAgentName(text);
  if (isPlatformAgent(name)) return name;
  const holder = await findName(ctx.db, nameKey(name));
  if (holder !== undefined) return remember(ctx, agentId, text, holder);
  checkAgentName(name);
  if (await claimName(ctx.db, name, { kind: "agent", agentId })) {
    forgetName(ctx, nameKey(name));
    return remember(ctx, agentId, text, { name, agent_id: agentId });
  }
  const first = await findName(ctx.db, nameKey(name));
  if (first !== undefined) return remember(ctx, agentId, text, first);
  throw nameTaken("agent_name_taken", name, await nameInTheWay(ctx.db, name));
}

function remember(
  ctx: AppContext,
  agentId: number,
  text: string,
  holder: { name: string; agent_id: number | null },
): string {
  if (holder.agent_id !== agentId) throw fail("agent_name_taken");
  bound(ctx).set(`${agentId} ${text}`, holder.name);
  return holder.name;
}
