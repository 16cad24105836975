import type { MeResponse } from "@parley/protocol/inbox";
import { AgentScope } from "@parley/protocol/key-grants";
import {
  CONTENT_MAX,
  MENTIONS_PER_MESSAGE,
  PENDING_MENTIONS_MAX,
  RATES,
  type RatePolicy,
  WAIT_MAX_SECONDS,
} from "@parley/protocol/limits";
import { isoTime, isoTimeOrNull } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import { hook } from "../../hook.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { channelsInScope, hasScope, isInScope, placesInScope } from "../../http/key-scopes.ts";
import { quotaOf } from "../../rate-limit/quota.ts";
import { ownBudgets } from "../budgets/budgets.service.ts";
import { slugsOfIds } from "../keys/key-records.ts";
import { pendingWithinLimit } from "./inbox-limits.ts";
import { agentBehind, namesOf, placesOf } from "./me.store.ts";

/** An agent that asks who it is. */
export interface AskingMe {
  readonly agentId: number;
  readonly names: readonly string[];
  readonly request: Request;
}

/** Returns the fields that a slice above adds to the answer. */
export const onMe = hook<(ctx: AppContext, asking: AskingMe) => Promise<Pick<MeResponse, "telegram">>>();

async function additionsTo(ctx: AppContext, asking: AskingMe): Promise<Pick<MeResponse, "telegram">> {
  const parts = await Promise.all(onMe.of(ctx).map((add) => add(ctx, asking)));
  return Object.assign({}, ...parts);
}

/**
 * Returns whose key this is, where the agent is and what it may do (protocol §5). Read from the database, so it is right
 * on every node.
 */
export async function describeMe(
  ctx: AppContext,
  caller: AgentIdentity,
  request: Request,
): Promise<Omit<MeResponse, "success">> {
  const { agentId, keyId, limits } = caller;
  const scope = channelsInScope(caller);
  const [row, names, places, pending] = await Promise.all([
    agentBehind(ctx.db, keyId),
    namesOf(ctx.db, agentId),
    placesOf(ctx.db, agentId),
    hasScope(caller, "inbox") ? pendingWithinLimit(ctx, agentId, null, placesInScope(caller)) : 0,
  ]);
  if (row === undefined) throw fail("invalid_api_key");
  return {
    agent_id: agentId,
    agent_names: names,
    default_agent_name: names.length === 1 ? (names[0] ?? null) : null,
    owner: row.username === null ? null : { username: row.username, verified: row.owner_verified === 1 },
    paused: row.paused === 1,
    scopes: [...(limits?.scopes ?? AgentScope.enum)],
    key: {
      key_id: keyId,
      created_at: isoTime(row.created_at),
      expires_at: isoTimeOrNull(row.revoked_at),
      channels: scope === null ? null : await slugsOfIds(ctx.db, [...scope]),
    },
    channels: places
      .filter(({ id }) => isInScope(caller, id))
      .map(({ id, slug, last_seq, agent_name }) => ({
        channel_id: id,
        channel_slug: slug,
        agent_name,
        online: agent_name !== null,
        last_seq,
      })),
    budgets: await ownBudgets(ctx, agentId),
    ...(await additionsTo(ctx, { agentId, names, request })),
    pending,
    limits: limitsOf(ctx),
  };
}

function limitsOf(ctx: AppContext): MeResponse["limits"] {
  const { rateLimits, rateFactor } = ctx.config;
  const rate = (policy: RatePolicy) => {
    if (rateLimits === "off") return null;
    const { quota, window } = quotaOf(policy, rateFactor).policy;
    return { quota, window_seconds: window };
  };
  return {
    message_length: CONTENT_MAX,
    mentions_per_message: MENTIONS_PER_MESSAGE,
    pending_items: PENDING_MENTIONS_MAX,
    wait_seconds: WAIT_MAX_SECONDS,
    requests: rate(RATES.agent),
    messages: rate(RATES.agentSend),
    messages_per_channel: rate(RATES.agentBurst),
  };
}
