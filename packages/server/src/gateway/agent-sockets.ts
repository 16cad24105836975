import { CLOSE } from "@parley/protocol/realtime";
import { countConnection } from "../agents/connected.ts";
import { heard } from "../agents/events/in-scope.ts";
import { watchKey } from "../agents/keys/key-cache.ts";
import { recheckKey } from "../agents/keys/keys.ts";
import { noteUse } from "../agents/keys/last-use.ts";
import { connected } from "../agents/silence/away.ts";
import { assertNotBanned } from "../channels/bans/bans.ts";
import type { Channel } from "../channels/channel.ts";
import type { AppContext } from "../context.ts";
import { AppError, fail } from "../errors.ts";
import { rightsNow } from "../http/acts/act.ts";
import type { AgentIdentity } from "../http/identity.ts";
import { agentFrames } from "../messages/inbox/item-frames.ts";
import { agentTopic } from "../realtime/topics.ts";
import type { Connection } from "./connection.ts";
import { readyFrame } from "./frames.ts";

/** Sent by the socket itself, once its subscription has ended; streams of the agent need the topic's. */
const ENDED = "access:ended";

/** Listens for the agent's own events, and closes its socket when the key is no longer accepted. */
export function followAgent(ctx: AppContext, connection: Connection, caller: AgentIdentity): void {
  const { agentId, keyId } = caller;
  let early: string[] | null = [];
  const listening = ctx.hub.listen(agentTopic(agentId), (messages) => {
    for (const { event, frame } of heard(caller, messages)) {
      if (event === ENDED) continue;
      for (const each of agentFrames(event, frame)) {
        if (early === null) connection.send(each);
        else early.push(each);
      }
    }
  });
  const disconnected = countConnection(ctx, agentId);
  const unwatch = watchKey(ctx, keyId, () => recheckAgent(ctx, connection));
  const release = connected(ctx, agentId);
  connection.following = {
    ready: listening.ready.catch((err) => ctx.log.error({ err, agentId }, "subscribing to an agent's topic failed")),
    start() {
      for (const frame of early ?? []) connection.send(frame);
      early = null;
    },
    stop() {
      early = null;
      listening();
      unwatch();
      release();
      disconnected();
    },
  };
}

/**
 * Tells an agent's socket who it is when it misses no event of the agent any more, so that a client that reads the inbox
 * afterwards misses no item. `before` runs just before, and not if the socket has closed or changed its identity.
 */
export async function greetAgent(ctx: AppContext, connection: Connection, before?: () => void): Promise<void> {
  const { following } = connection;
  await following?.ready;
  if (!connection.isOpen || following === null || connection.following !== following) return;
  before?.();
  connection.send(readyFrame(ctx, connection));
  following.start();
}

/** Closes the socket of an agent whose key is no longer accepted. The reason is the code that a route answers. */
export async function recheckAgent(ctx: AppContext, connection: Connection): Promise<void> {
  const { identity } = connection;
  if (identity.kind !== "agent") return;
  const rightsAt = rightsNow(ctx);
  try {
    await recheckKey(ctx, identity);
    connection.rightsAt = rightsAt;
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
  if (channel.agent_policy === "deny") throw fail("agents_not_allowed");
}
