import type { KeyGrant } from "@parley/protocol/key-grants";
import { forgetName } from "../../accounts/names/name-directory.ts";
import { nameKey } from "../../accounts/names/names.ts";
import { audit, type COMMAND_LINE } from "../../audit/audit.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { type IssuedKey, issueKey } from "./keys.ts";

/**
 * Creates an agent with its name and first key, for an administrator or the command line, and logs it. The caller
 * checks that the user may do this.
 * @throws invalid_agent_name, agent_name_taken, user_not_found, channel_not_found, invalid_request
 */
export function createAgent(
  ctx: AppContext,
  by: UserIdentity | typeof COMMAND_LINE,
  input: { agentName: string; ownerUsername?: string; grant?: KeyGrant },
): Promise<IssuedKey> {
  return transact(ctx, async (ctx) => {
    const issued = await issueKey(ctx, input, by);
    const { key_id, agent_id, agent_name } = issued;
    const owner = input.ownerUsername === undefined ? {} : { owner_username: input.ownerUsername };
    await audit(ctx, by, "key_issue", `key:${key_id}`, { agent_id, agent_name, ...owner, ...input.grant });
    if (agent_name !== null) ctx.afterCommit(() => forgetName(ctx, nameKey(agent_name)));
    return issued;
  });
}
