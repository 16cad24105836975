import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { namesOfAgent } from "./agents.store.ts";

/**
 * Returns the name under which an agent acts where none is implied: the given one, or else the agent's only name.
 * Unlike REST, it never falls back to `PlatformAgent`, which several agents may share.
 * @throws agent_name_required
 */
export async function speakerOf(ctx: AppContext, agentId: number, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const names = await namesOfAgent(ctx.db, agentId);
  const [only] = names;
  if (only !== undefined && names.length === 1) return only;
  const message =
    only === undefined
      ? "This agent has no name yet. Send agent_name: the first use of a free name binds it to this agent."
      : `This agent has several names. Send agent_name, one of: ${names.map((name) => JSON.stringify(name)).join(", ")}.`;
  throw fail("agent_name_required", { message });
}
