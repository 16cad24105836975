import type { AppContext } from "../context.ts";
import { hasScope } from "../http/key-scopes.ts";
import { EVERYBODY_TOPIC } from "../realtime/topics.ts";
import type { Connection } from "./connection.ts";
import type { Connections } from "./registry.ts";

/** This many sockets are sent a frame, then other work gets its turn. */
const BATCH = 500;

/**
 * Passes events for everybody on to all sockets of this node. They are rare, so no socket subscribes to them: opening one
 * costs nothing more.
 */
export function passToEverybody(ctx: AppContext, connections: Connections): void {
  // One event after the other, so that every socket receives them in their order.
  let sending: Promise<void> = Promise.resolve();
  const listening = ctx.hub.listen(EVERYBODY_TOPIC, (messages) => {
    for (const { frame } of messages) sending = sending.then(() => sendAll(ctx, connections, frame));
  });
  ctx.onClose(listening);
}

async function sendAll(ctx: AppContext, connections: Connections, frame: string): Promise<void> {
  let sent = 0;
  for (const connection of [...connections.all]) {
    if (!mayHear(ctx, connection)) continue;
    connection.send(frame);
    if (++sent % BATCH === 0) await new Promise(setImmediate);
  }
}

/** Those who may not read hear nothing: guests of some servers, some keys, and users who must set up a factor first. */
function mayHear({ config }: AppContext, { identity, isOpen }: Connection): boolean {
  if (!isOpen) return false;
  if (identity.kind === "guest") return config.guestRead;
  return identity.kind === "agent" ? hasScope(identity, "read") : !identity.lacksFactor;
}
