import { type FirstKey, issueFirstKey } from "../../agents/keys/first-key.ts";
import type { IssuedKey } from "../../agents/keys/keys.ts";
import type { AppContext } from "../../context.ts";
import { importedAgent } from "./people.store.ts";

/**
 * Issues the first key of an agent that an import made, for the command line (protocol §14.5). Returns the reason if
 * there is no such agent, or if it has had a key.
 * @throws user_not_found, and the errors of the key's terms
 */
export async function claimImportedAgent(
  ctx: AppContext,
  input: FirstKey,
): Promise<IssuedKey | "unknown" | "has keys"> {
  const found = await importedAgent(ctx.db, input.agentName);
  if (found === undefined) return "unknown";
  return (await issueFirstKey(ctx, found.agentId, { ...input, agentName: found.name })) ?? "has keys";
}
