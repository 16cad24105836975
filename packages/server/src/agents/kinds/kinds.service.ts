import type { AskedKindsResponse, InboxKindsBody } from "@parley/protocol/inbox";
import { isPlatformAgent } from "../../accounts/names/agent-names.ts";
import { nameKey } from "../../accounts/names/names.ts";
import type { AppContext } from "../../context.ts";
import type { AskedKind } from "../../db/tables/agents.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { beginAtEnds } from "../../event-log/consumer.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { assertScope } from "../../http/key-scopes.ts";
import { deletePending } from "../../messages/inbox/inbox-rows.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { bindAgentName } from "../name-binding.ts";
import { speakerOf } from "../speaker.ts";
import { kindsIn } from "./askers.ts";
import { PURPOSE } from "./item-maker.ts";
import * as store from "./kinds.store.ts";

/** A name of an agent, as it is bound. */
export interface BoundName {
  readonly agentId: number;
  readonly agentName: string;
}

/**
 * Asks for kinds of items under one of the caller's names, instead of those before. They are made of what happens from
 * now on. Every message of a channel needs the scope `read`. Errors: `agent_name_required`, `invalid_agent_name`,
 * `agent_name_taken`, `insufficient_scope`.
 */
export async function chooseKinds(
  ctx: AppContext,
  caller: AgentIdentity,
  { agent_name, kinds }: InboxKindsBody,
): Promise<{ agent_name: string; kinds: AskedKind[] }> {
  const { agentId } = caller;
  if (kinds.includes("message")) assertScope(caller, "read");
  const agentName = await bindAgentName(ctx, agentId, await speakerOf(ctx, agentId, agent_name));
  if (isPlatformAgent(agentName)) throw fail("agent_name_required", { message: "Items belong to a name of its own." });
  const chosen = [...new Set(kinds)].toSorted();
  await askFor(ctx, { agentId, agentName }, "kinds", chosen);
  return { agent_name: agentName, kinds: chosen };
}

/** Returns what the names of an agent ask for. */
export async function kindsOfAgent(ctx: AppContext, agentId: number): Promise<Pick<AskedKindsResponse, "names">> {
  const rows = await store.readKinds(ctx.db, agentId);
  return {
    names: rows.map(({ agent_name, kinds, telegram_kinds }) => {
      return { agent_name, kinds: kindsIn(kinds), telegram_kinds: kindsIn(telegram_kinds) };
    }),
  };
}

/**
 * Stores what a name asks for. When it returns, all nodes make the items, or make none any more. A repetition costs one
 * query. Items `message` that are no longer wanted are deleted.
 */
export async function askFor(
  ctx: AppContext,
  { agentId, agentName }: BoundName,
  by: store.AskedBy,
  kinds: readonly AskedKind[],
): Promise<void> {
  const key = nameKey(agentName);
  const text = kinds.toSorted().join(",");
  const find = async (ctx: AppContext) =>
    (await store.readKinds(ctx.db, agentId)).find(({ name_key }) => name_key === key);
  if ((await find(ctx))?.[by] === text) return;
  await transact(ctx, async (ctx) => {
    if (!(await store.hasAsked(ctx.db))) await beginAtEnds(ctx, PURPOSE);
    await store.storeKinds(ctx.db, { name_key: key, agent_id: agentId, agent_name: agentName }, by, text);
    const now = await find(ctx);
    if (!kindsIn(`${now?.kinds},${now?.telegram_kinds}`).includes("message"))
      await deletePending(ctx.db, { agentId, agentName, kind: "message" });
    publishControl(ctx, "agent_changed", agentId);
  });
}
