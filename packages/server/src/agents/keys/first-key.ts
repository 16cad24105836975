import type { KeyGrant } from "@parley/protocol/key-grants";
import { keepNotice } from "../../accounts/security-notices/security-notices.ts";
import { audit, COMMAND_LINE } from "../../audit/audit.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { recordControl } from "../../realtime/control/control.ts";
import { lockAgent, writeOwner, writePaused } from "../agent-control.store.ts";
import { hashSecret, makeKey } from "./key-format.ts";
import { termsOf } from "./key-terms.ts";
import { agentHasKeys, insertKey, userIdOf } from "./keys.store.ts";
import type { IssuedKey } from "./keys.ts";

/** The first key of an agent that has none. */
export interface FirstKey {
  agentName: string;
  ownerUsername?: string | undefined;
  grant: KeyGrant;
}

/**
 * Issues the first key of an agent that an import made, for the command line: the agent gets its owner, if one is named,
 * and is paused no longer (protocol §14.5). Returns null if it ever had a key.
 * @throws user_not_found, agent_not_found, and those of `termsOf`
 */
export function issueFirstKey(
  ctx: AppContext,
  agentId: number,
  { agentName, ownerUsername, grant }: FirstKey,
): Promise<IssuedKey | null> {
  const key = makeKey(ctx.clock);
  return transact(ctx, async (ctx) => {
    const { db } = ctx;
    const ownerId = ownerUsername === undefined ? null : await userIdOf(db, ownerUsername);
    if (ownerId === undefined) throw fail("user_not_found");
    // Of two of these at once, the second waits here, and finds the key of the first.
    if ((await lockAgent(db, agentId)) === null) throw fail("agent_not_found");
    if (await agentHasKeys(db, agentId)) return null;
    const terms = await termsOf(ctx, grant, { by: "operator", agent: { agentId, key: `a${agentId}` } });
    const secret_hash = hashSecret(key.secret).toString("hex");
    await insertKey(db, { id: key.id, agent_id: agentId, secret_hash, created_at: ctx.clock.now(), ...terms });
    const details = { agent_id: agentId, key_id: key.id };
    if (ownerId !== null) {
      await writeOwner(db, agentId, ownerId);
      await keepNotice(ctx, { userId: ownerId, kind: "api_key_issued", by: "operator", details });
    }
    await writePaused(db, agentId, false, true);
    await recordControl(db, ctx.clock, "agent_changed", agentId);
    const owner = ownerUsername === undefined ? {} : { owner_username: ownerUsername };
    const issued = { agent_id: agentId, agent_name: agentName, ...owner, ...grant };
    await audit(ctx, COMMAND_LINE, "key_issue", `key:${key.id}`, issued);
    return { api_key: key.text, key_id: key.id, agent_id: agentId, agent_name: agentName };
  });
}
