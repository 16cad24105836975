import { AgentScope, type KeyGrant } from "@parley/protocol/key-grants";
import { renderUnicodeCompact } from "uqr";
import { createAgent } from "../agents/keys/create-agent.ts";
import type { FirstKey } from "../agents/keys/first-key.ts";
import { keyIdOf } from "../agents/keys/key-format.ts";
import { type IssuedKey, type KeyRecord, listKeys, revokeKey } from "../agents/keys/keys.ts";
import { audit, COMMAND_LINE } from "../audit/audit.ts";
import { isoTime, typedTime } from "../base/iso-time.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { claimImportedAgent } from "../imports/people/imported-agents.ts";
import { setupUrl, shownCode } from "../setup-codes/code-text.ts";
import { codeByName } from "../setup-codes/make-code.service.ts";
import { CommandError, type Invocation, print, UsageError } from "./command.ts";
import { addressOf } from "./running-server.ts";
import { openTool, openWritingTool } from "./tool.ts";

export async function keyIssue(call: Invocation): Promise<number> {
  const { agent, owner } = call.values;
  if (typeof agent !== "string") throw new UsageError("--agent <name> is missing. It is the agent's name.");
  await using tool = await openWritingTool(call);
  const grant = grantOf(call, tool.ctx.clock.now());
  const input = { agentName: agent, grant, ...(typeof owner === "string" ? { ownerUsername: owner } : {}) };
  const isImported = call.values["claim-import"] === true;
  const issued = isImported ? await firstKey(tool.ctx, input) : await createAgent(tool.ctx, COMMAND_LINE, input);
  print(
    call,
    issued,
    `${issued.api_key}\n\nThis is the key of ${issued.agent_name}; it is not shown again. Send it as: Authorization: Bearer <key>\nKey id, to revoke it: ${issued.key_id}`,
  );
  return 0;
}

/** Issues the first key of an agent that an import made. */
async function firstKey(ctx: AppContext, input: FirstKey): Promise<IssuedKey> {
  const issued = await claimImportedAgent(ctx, input);
  if (issued === "unknown") throw new CommandError(`No import made an agent with the name ${input.agentName}.`);
  if (issued === "has keys")
    throw new CommandError(
      `${input.agentName} has had a key already, so its owner can rotate it. List the keys with: key list`,
    );
  return issued;
}

/** Reads the limits of the key from the options. */
export function grantOf({ values: { scopes, channels, expires } }: Invocation, now: number): KeyGrant {
  const wanted = listOf(scopes);
  const unknown = wanted?.find((scope) => !SCOPES.includes(scope));
  if (unknown !== undefined || wanted?.length === 0)
    throw new UsageError(`--scopes takes a list of ${SCOPES.join(", ")}, separated by commas.`);
  const slugs = listOf(channels);
  return {
    ...(wanted === null ? {} : { scopes: AgentScope.enum.filter((scope) => wanted.includes(scope)) }),
    ...(slugs === null ? {} : { channels: slugs }),
    ...(typeof expires === "string" ? { expires_at: endOf(expires, now) } : {}),
  };
}

const SCOPES: readonly string[] = AgentScope.enum;

const listOf = (text: unknown): string[] | null =>
  typeof text === "string" ? text.split(",").flatMap((part) => part.trim() || []) : null;

/** Reads a date, or a number of days from now. */
function endOf(text: string, now: number): string {
  const [, days] = /^(\d{1,4})d$/.exec(text) ?? [];
  const at = days === undefined ? typedTime(text) : now + Number(days) * DAY_MS;
  if (!(at > now)) throw new UsageError("--expires takes a future date such as 2027-01-31, or days such as 30d.");
  return isoTime(at);
}

const DAY_MS = 24 * 3_600_000;

export async function keyList(call: Invocation): Promise<number> {
  await using tool = await openTool(call);
  const keys = await listKeys(tool.ctx);
  print(
    call,
    { keys },
    keys.length === 0 ? "There are no keys." : keys.map((key) => keyLine(key, tool.ctx.clock.now())).join("\n"),
  );
  return 0;
}

function keyLine(key: KeyRecord, now: number): string {
  const parts = [
    key.key_id,
    stateOf(key, now),
    `agent ${key.agent_id} ${key.agent_names.join(", ")}`.trim(),
    ...(key.owner_username === null ? [] : [`owner ${key.owner_username}`]),
    `created ${key.created_at}`,
    ...(key.scopes === null ? [] : [`may ${key.scopes.join(", ")}`]),
    ...(key.channels === null ? [] : [`only in ${key.channels.join(", ")}`]),
    key.last_used_at === null ? "never used" : `last used ${key.last_used_at}`,
  ];
  return parts.join(" · ");
}

/** A rotated key may still work for a while. */
function stateOf({ revoked_at, paused }: KeyRecord, now: number): string {
  if (revoked_at === null) return paused ? "paused" : "active";
  return `${Date.parse(revoked_at) > now ? "ends" : "ended"} ${revoked_at}`;
}

export async function keyRevoke(call: Invocation): Promise<number> {
  const [key = ""] = call.positionals;
  await using tool = await openWritingTool(call);
  const outcome = await transact(tool.ctx, async (ctx) => {
    const outcome = await revokeKey(ctx, key);
    if (outcome === "revoked") await audit(ctx, COMMAND_LINE, "key_revoke", `key:${keyIdOf(key)}`);
    return outcome;
  });
  if (outcome === "unknown") throw new CommandError("This key does not exist. List the ids with: key list");
  print(
    call,
    { key_id: keyIdOf(key), revoked: true, already: outcome === "already" },
    outcome === "already"
      ? "The key was already revoked."
      : "The key is revoked. A running server refuses it within 2 seconds.",
  );
  return 0;
}

export async function setupCode(call: Invocation): Promise<number> {
  const { agent, owner } = call.values;
  if (typeof agent !== "string") throw new UsageError("--agent <name> is missing. It is the agent's name.");
  await using tool = await openWritingTool(call);
  const grant = grantOf(call, tool.ctx.clock.now());
  const ownerUsername = typeof owner === "string" ? owner : undefined;
  const made = await codeByName(tool.ctx, COMMAND_LINE, { agentName: agent, ownerUsername, grant });
  const setup_url = setupUrl(addressOf(tool.config), made.code);
  const until = isoTime(made.expiresAt);
  const record = {
    code: shownCode(made.code),
    setup_url,
    agent_id: made.agentId,
    agent_name: made.agentName,
    expires_at: until,
  };
  const picture = renderUnicodeCompact(setup_url, { ecc: "M", border: 2 });
  print(
    call,
    record,
    `${setup_url}\n\n${picture}\n\nThis is the setup code of ${made.agentName}: ${record.code}. It works once, until ${until}. It is not shown again.`,
  );
  return 0;
}
