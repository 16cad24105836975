import type { CommandData } from "@parley/protocol/realtime";
import { login, logout } from "../accounts/accounts.service.ts";
import type { Call } from "./call.ts";
import type { Visitor } from "./connection.ts";
import { checkSocketsOfUser } from "./handshake.ts";
import { readyFrame } from "./ready.ts";
import { recheckChannels } from "./revocation.ts";
import { attachIdentity, detachIdentity } from "./subscriptions.ts";

/**
 * Turns a guest's socket into a user's, or one user's into another's (contract, section 1). Channels the new one may not hear are left.
 * Errors: those of `login`, `too_many_sockets`.
 */
export async function loginOnSocket(call: Call, data: CommandData<"auth:login">): Promise<void> {
  const { ctx, connection } = call;
  const { identity, token, user } = await login(ctx, { ...data, address: connection.address, userAgent: null });
  if (!connection.isOpen) return;
  try {
    if (connection.userId !== identity.userId) checkSocketsOfUser(call.connections, identity.userId);
  } catch (error) {
    await logout(ctx, identity);
    throw error;
  }
  become(call, { identity, token });
  call.ack(JSON.stringify({ success: true, message: `Welcome back, ${user.username}.`, user }));
  connection.send(readyFrame(ctx, connection));
  await recheckChannels(ctx, connection);
}

function become(call: Call, visitor: Visitor): void {
  const { ctx, connection, connections } = call;
  detachIdentity(ctx, connection, 0);
  connections.removeUser(connection);
  connection.identity = visitor.identity;
  connection.token = visitor.token;
  connections.addUser(connection);
  attachIdentity(ctx, connection);
}
