import type { MeResponse } from "@parley/protocol/inbox";
import type { AskingMe } from "../agents/inbox/me.ts";
import type { AppContext } from "../context.ts";
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
