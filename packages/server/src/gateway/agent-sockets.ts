import { CLOSE } from "@parley/protocol/realtime";
import { watchKey } from "../agents/keys/key-cache.ts";
import { recheckKey } from "../agents/keys/keys.ts";
import { noteUse } from "../agents/keys/last-use.ts";
import { assertNotBanned } from "../channels/bans/bans.ts";
import type { Channel } from "../channels/channel.ts";
import type { AppContext } from "../context.ts";
import { AppError, fail } from "../errors.ts";
import type { AgentIdentity } from "../http/identity.ts";
import { agentFrames } from "../messages/inbox/item-frames.ts";
import { agentTopic } from "../realtime/topics.ts";
import type { Connection } from "./connection.ts";

/** Sent by the socket itself, once its subscription has ended; streams of the agent need the topic's. */
const ENDED = "access:ended";

/** Sends the agent's own events to its socket, and closes the socket when the key is no longer accepted. */
export function followAgent(ctx: AppContext, connection: Connection, { agentId, keyId }: AgentIdentity): void {
  const listening = ctx.hub.listen(agentTopic(agentId), (messages) => {
    for (const { event, frame } of messages) {
      if (event !== ENDED) for (const each of agentFrames(event, frame)) connection.send(each);
    }
  });
  listening.ready.catch((err) => ctx.log.error({ err, agentId }, "subscribing to an agent's topic failed"));
  const unwatch = watchKey(ctx, keyId, () => recheckAgent(ctx, connection));
  connection.unfollow = () => {
    listening();
    unwatch();
  };
}

/** Closes the socket of an agent whose key is no longer accepted. The reason is the code that a route answers. */
export async function recheckAgent(ctx: AppContext, connection: Connection): Promise<void> {
  const { identity } = connection;
  if (identity.kind !== "agent") return;
  try {
    await recheckKey(ctx, identity);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (connection.identity !== identity) return;
    connection.close(error.code === "invalid_api_key" ? CLOSE.sessionOver : CLOSE.accessEnded, error.code);
  }
}

/** Keeps the agent of an open socket from counting as idle. */
export function noteAgentUse(ctx: AppContext, { identity }: Connection): void {
  if (identity.kind === "agent") noteUse(ctx, identity.keyId, identity.agentId);
}

/** Rejects an agent that may read the channel but may not be in it. Errors: `banned`, `agents_not_allowed`. */
export async function assertMayListen(ctx: AppContext, caller: AgentIdentity, channel: Channel): Promise<void> {
  await assertNotBanned(ctx, caller, channel.id);
  if (channel.agentPolicy === "deny") throw fail("agents_not_allowed");
}
