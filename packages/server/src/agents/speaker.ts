import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { namesOfAgent } from "./agents.store.ts";

/**
 * Returns the name under which an agent acts where none is implied: the given one, or else the agent's only name.
 * Unlike REST, it never falls back to `PlatformAgent`, which several agents may share.
 * @throws agent_name_required
 */
export async function speakerOf(ctx: AppContext, agentId: number, given: string | null | undefined): Promise<string> {
  if (given != null) return given;
  const names = await namesOfAgent(ctx.db, agentId);
  const only = onlyNameOf(names);
  if (only !== null) return only;
  const message =
    names.length === 0
      ? "This agent has no name yet. Send agent_name: the first use of a free name binds it to this agent."
      : `This agent has several names. Send agent_name, one of: ${names.map((name) => JSON.stringify(name)).join(", ")}.`;
  throw fail("agent_name_required", { message });
}

/** Returns the names bound to an agent; the first 100. */
export const agentNames = (ctx: AppContext, agentId: number): Promise<string[]> => namesOfAgent(ctx.db, agentId);

/** Returns the only name of a list; null if there is none or a choice (protocol §5). */
export const onlyNameOf = (names: readonly string[]): string | null => (names.length === 1 ? (names[0] ?? null) : null);
