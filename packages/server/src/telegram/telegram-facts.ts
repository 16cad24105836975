import type { AgentTelegramResponse, MeResponse } from "@parley/protocol/inbox";
import type { RedeemSetupCodeResponse } from "@parley/protocol/setup-codes";
import { nameKey } from "../accounts/names/names.ts";
import { standingOf } from "../agents/budgets/budgets.service.ts";
import type { AskingMe } from "../agents/inbox/me.ts";
import { agentNames } from "../agents/speaker.ts";
import type { AppContext } from "../context.ts";
import type { UserIdentity } from "../http/identity.ts";
import { ownOrigin } from "../http/origin.ts";
import { botUser, holdersOf, knownHolders } from "./bots.ts";
import type { NameRow } from "./telegram.store.ts";

/** Returns what an agent needs to let a bot call the door; nothing if the door is closed (protocol §15.1). */
export async function telegramFacts(
  ctx: AppContext,
  { names, request }: AskingMe,
): Promise<Pick<MeResponse, "telegram">> {
  if (!ctx.config.telegram) return {};
  const holders = await numbered(ctx, names, request);
  const bots = [...holders.values()].flatMap(({ bot_id: id, name }) => {
    if (id === null) return [];
    const user = botUser({ id, name });
    return [{ agent_name: name, bot_id: user.id, username: user.username ?? name }];
  });
  const bot_id = bots.length === 1 ? (bots[0]?.bot_id ?? null) : null;
  return { telegram: { bots, bot_id, api_root: `${ownOrigin(ctx.config, request)}/telegram` } };
}

/**
 * Returns the same for the verified owner of an agent, or for staff. Errors: those of `standingOf`.
 */
export async function telegramOf(
  ctx: AppContext,
  caller: UserIdentity,
  agentId: number,
  request: Request,
): Promise<Omit<AgentTelegramResponse, "success">> {
  await standingOf(ctx, caller, agentId);
  const names = await agentNames(ctx, agentId);
  const { telegram = null } = await telegramFacts(ctx, { agentId, names, request });
  return { agent_id: agentId, telegram };
}

/**
 * Returns the token of an agent that has just got a key; nothing if the door is closed, or if the code names none of the
 * agent's names. Never throws: the answer has the only copy of the key.
 */
export async function telegramToken(
  ctx: AppContext,
  { agent_id, agent_name: name, api_key }: Pick<RedeemSetupCodeResponse, "agent_id" | "agent_name" | "api_key">,
  request: Request,
): Promise<Pick<RedeemSetupCodeResponse, "telegram">> {
  if (name === null) return {};
  try {
    const { telegram } = await telegramFacts(ctx, { agentId: agent_id, names: [name], request });
    const bot = telegram?.bots.find(({ agent_name }) => nameKey(agent_name) === nameKey(name));
    if (telegram === undefined || bot === undefined) return {};
    return { telegram: { token: `${bot.bot_id}:${api_key}`, api_root: telegram.api_root } };
  } catch (err) {
    ctx.log.warn({ err, agentId: agent_id }, "the token of a new bot could not be made");
    return {};
  }
}

/** Returns the holders of the names. HEAD changes nothing, and a database that takes no writes must not hide who the agent is. */
async function numbered(ctx: AppContext, names: readonly string[], request: Request): Promise<Map<string, NameRow>> {
  if (request.method === "HEAD") return knownHolders(ctx, names);
  try {
    return await holdersOf(ctx, names);
  } catch (error) {
    if (ctx.storageError(error) === undefined) throw error;
    return knownHolders(ctx, names);
  }
}
