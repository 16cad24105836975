import { DEAD_SECONDS, PING_SECONDS, SLOW_READER_BYTES } from "@parley/protocol/limits";
import { CLOSE } from "@parley/protocol/realtime";
import type { AppContext } from "../context.ts";
import { noteAgentUse } from "./agent-sockets.ts";
import type { Connection } from "./connection.ts";
import type { Connections } from "./registry.ts";
import { refreshIdentity } from "./revocation.ts";
import { releaseAll } from "./subscriptions.ts";

/** Seconds that a slow reader has to read the rest before it is cut off. */
const SLOW_SECONDS = 8;

/**
 * The heartbeat of all sockets. Bun's own idle timeout restarts with every frame that is sent (measured, 1.4.5), so in
 * a busy channel it never detects a half-open client; this one counts from the last frame received.
 */
export function sweep(ctx: AppContext, connections: Connections, second: number): void {
  for (const connection of connections.all) {
    const { socket } = connection;
    if (socket === null) continue;
    if (second - connection.heardAt > DEAD_SECONDS) {
      socket.terminate();
      continue;
    }
    checkPace(ctx, connection, second);
    if (second < connection.pingAt) continue;
    connection.pingAt = second + PING_SECONDS;
    socket.ping();
    noteAgentUse(ctx, connection);
    void refreshIdentity(ctx, connection);
  }
}

/**
 * Sends nothing new to a reader that is more than 1 MiB behind. If it reads the rest, it is closed with 4409 and
 * resumes by seq; otherwise it is cut off. Closing at once would leave its bytes in memory until the client disconnects
 * (measured, 1.4.5).
 */
export function checkPace(ctx: AppContext, connection: Connection, second: number): void {
  const { socket } = connection;
  if (socket === null) return;
  const unread = socket.getBufferedAmount();
  if (connection.slowSince === -1) {
    if (unread <= SLOW_READER_BYTES) return;
    connection.slowSince = second;
    connection.waiting = null;
    ctx.metrics.slowReaderClosed();
    releaseAll(ctx, connection);
    for (const topic of socket.subscriptions) socket.unsubscribe(topic);
  } else if (unread === 0) connection.close(CLOSE.tooSlow, "too slow");
  else if (second - connection.slowSince >= SLOW_SECONDS) socket.terminate();
}
