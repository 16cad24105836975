import type { CommandData } from "@parley/protocol/realtime";
import { login, logout } from "../accounts/accounts.service.ts";
import type { AppContext } from "../context.ts";
import type { Call } from "./call.ts";
import type { Connection, Visitor } from "./connection.ts";
import { readyFrame } from "./frames.ts";
import { checkSocketsOfUser, reserved } from "./handshake.ts";
import { recheckChannels } from "./revocation.ts";
import { attachIdentity, detachIdentity } from "./subscriptions.ts";

/**
 * Changes a socket's identity from a guest or another user to the user who logs in (protocol §1). The socket leaves the
 * channels that the new user may not read; the session lives as long as the socket keeps this identity.
 * Errors: those of `login`, `too_many_sockets`.
 */
export async function loginOnSocket(call: Call, data: CommandData<"auth:login">): Promise<void> {
  const { ctx, connection } = call;
  const { identity, token, user } = await login(ctx, {
    ...data,
    address: connection.address,
    userAgent: null,
    deviceToken: connection.deviceToken,
  });
  if (!connection.isOpen) return logout(ctx, identity);
  let release: (() => void) | undefined;
  try {
    if (connection.userId !== identity.userId) {
      checkSocketsOfUser(call.connections, identity.userId);
      if (call.shared !== null) release = await reserved(call.shared, { userId: identity.userId });
    }
  } catch (error) {
    await logout(ctx, identity);
    throw error;
  }
  if (!connection.isOpen) {
    release?.();
    return logout(ctx, identity);
  }
  endOwnSession(ctx, connection);
  become(call, { identity, token });
  release?.();
  call.ack(JSON.stringify({ success: true, message: `Welcome back, ${user.username}.`, user }));
  connection.send(readyFrame(ctx, connection));
  await recheckChannels(ctx, connection);
}

/**
 * Ends the session that the socket created for itself, because the socket closes or changes its identity in this turn.
 */
export function endOwnSession(ctx: AppContext, connection: Connection): void {
  const { ownsSession, identity } = connection;
  if (!ownsSession || identity.kind !== "user") return;
  connection.ownsSession = false;
  logout(ctx, identity).catch((err: unknown) => ctx.log.warn({ err }, "ending a socket's session failed"));
}

function become(call: Call, visitor: Pick<Visitor, "identity" | "token">): void {
  const { ctx, connection, connections } = call;
  detachIdentity(ctx, connection, 0);
  connections.removeUser(connection);
  connection.identity = visitor.identity;
  connection.token = visitor.token;
  connection.ownsSession = true;
  connections.addUser(connection);
  attachIdentity(ctx, connection);
}
