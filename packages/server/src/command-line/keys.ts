import { keyIdOf } from "../agents/key-format.ts";
import { issueKey, type KeyRecord, listKeys, revokeKey } from "../agents/keys.ts";
import { CommandError, type Invocation, print, UsageError } from "./command.ts";
import { openTool } from "./tool.ts";

export async function keyIssue(call: Invocation): Promise<number> {
  const { agent, owner } = call.values;
  if (typeof agent !== "string") throw new UsageError("--agent <name> is missing: the name the agent speaks under.");
  await using tool = await openTool(call);
  const input = typeof owner === "string" ? { agentName: agent, ownerUsername: owner } : { agentName: agent };
  const issued = await issueKey(tool.ctx, input);
  print(
    call,
    issued,
    `${issued.api_key}\n\nThis is the key of ${issued.agent_name}; it is not shown again. Send it as: Authorization: Bearer <key>\nKey id, to revoke it: ${issued.key_id}`,
  );
  return 0;
}

export async function keyList(call: Invocation): Promise<number> {
  await using tool = await openTool(call);
  const keys = await listKeys(tool.ctx);
  print(call, { keys }, keys.length === 0 ? "There are no keys." : keys.map(keyLine).join("\n"));
  return 0;
}

function keyLine(key: KeyRecord): string {
  const state = key.revoked_at === null ? (key.paused ? "paused" : "active") : `ends ${key.revoked_at}`;
  const parts = [
    key.key_id,
    state,
    `agent ${key.agent_id} ${key.agent_names.join(", ")}`.trim(),
    ...(key.owner_username === null ? [] : [`owner ${key.owner_username}`]),
    `created ${key.created_at}`,
    key.last_used_at === null ? "never used" : `last used ${key.last_used_at}`,
  ];
  return parts.join(" · ");
}

export async function keyRevoke(call: Invocation): Promise<number> {
  const [key = ""] = call.positionals;
  await using tool = await openTool(call);
  const outcome = await revokeKey(tool.ctx, key);
  if (outcome === "unknown") throw new CommandError("There is no such key. `key list` shows the ids.");
  print(
    call,
    { key_id: keyIdOf(key), revoked: true, already: outcome === "already" },
    outcome === "already" ? "The key was revoked already." : "Revoked. A running server refuses it within 2 seconds.",
  );
  return 0;
}
