import type { CommandData } from "@parley/protocol/realtime";
import { login, logout } from "../accounts/accounts.service.ts";
import { answerChallenge } from "../accounts/factors/login-challenges.ts";
import type { LoginOrigin } from "../accounts/sessions/devices.ts";
import { hashToken } from "../accounts/sessions/sessions.ts";
import type { LoggedIn } from "../accounts/sessions/start-login.ts";
import { agentNames, onlyNameOf } from "../agents/speaker.ts";
import type { AppContext } from "../context.ts";
import { rightsNow } from "../http/acts/act.ts";
import type { MemberKey } from "../http/identity.ts";
import { rateLimited, takeGeneral } from "../http/rates.ts";
import { greetAgent } from "./agent-sockets.ts";
import type { Call } from "./call.ts";
import type { Connection, Visitor } from "./connection.ts";
import { readyFrame } from "./frames.ts";
import { authenticateAgent, checkSocketsOfMember, reserved } from "./handshake.ts";
import { recheckChannels, refreshIdentity } from "./revocation.ts";
import { attachIdentity, detachIdentity } from "./subscriptions.ts";

/**
 * Changes a socket's identity from a guest or another user to the user who logs in (protocol §1). The socket leaves the
 * channels that the new user may not read; the session lives as long as the socket keeps this identity. A login needs
 * no right of the identity before, so it is no act of theirs.
 * Errors: those of `login`, `too_many_sockets`.
 */
export const loginOnSocket = (call: Call, data: CommandData<"auth:login">): Promise<void> =>
  enterOnSocket(call, login(call.ctx.root, { ...data, ...originOf(call) }));

/**
 * The same with the second factor of a login, which may have begun on another socket or over HTTP.
 * Errors: those of `answerChallenge`, `too_many_sockets`.
 */
export const answerOnSocket = (call: Call, data: CommandData<"auth:second-factor">): Promise<void> =>
  enterOnSocket(call, answerChallenge(call.ctx.root, data, originOf(call)));

const originOf = ({ connection }: Call): LoginOrigin => ({
  address: connection.address,
  userAgent: null,
  deviceToken: connection.deviceToken,
});

async function enterOnSocket(call: Call, entering: Promise<LoggedIn>): Promise<void> {
  const { ctx, connection } = call;
  const { identity, token, user } = await entering;
  if (!connection.isOpen) return logout(ctx, identity);
  let release: (() => void) | undefined;
  try {
    release = await reserveFor(call, identity.key);
  } catch (error) {
    await logout(ctx, identity);
    throw error;
  }
  if (!connection.isOpen) {
    release?.();
    return logout(ctx, identity);
  }
  become(call, { identity, sessionHash: hashToken(token) });
  connection.ownsSession = true;
  release?.();
  call.ack(JSON.stringify({ success: true, message: `Welcome back, ${user.username}.`, user }));
  connection.send(readyFrame(ctx, connection));
  await recheckChannels(ctx, connection);
}

/**
 * Changes a socket's identity to the agent of an API key (protocol §8); the socket leaves the channels that are closed
 * to the agent. The key is checked and limited as on a route.
 * Errors: those of `authenticateKey`, `rate_limited`, `too_many_sockets`.
 */
export async function authenticateOnSocket(call: Call, { api_key }: CommandData<"auth:agent">): Promise<void> {
  const { ctx, connection } = call;
  const identity = await authenticateAgent(ctx, `Bearer ${api_key}`, connection.address);
  const decision = await takeGeneral(ctx, identity, identity.key);
  if (!decision.allowed) throw rateLimited(decision);
  const agent_names = await agentNames(ctx, identity.agentId);
  const release = await reserveFor(call, identity.key);
  if (connection.isOpen) {
    become(call, { identity, sessionHash: null });
    const default_agent_name = onlyNameOf(agent_names);
    const body = { success: true, agent_id: identity.agentId, agent_names, default_agent_name };
    await greetAgent(ctx, connection, () => call.ack(JSON.stringify(body)));
  }
  release?.();
  // The key may have ended since it was read, and the socket hears of it only from here on.
  await refreshIdentity(ctx, connection);
  await recheckChannels(ctx, connection);
}

/** Counts the socket for its next identity. Call what it returns when the socket has that identity, or will not. */
async function reserveFor(
  { connection, connections, shared }: Call,
  next: MemberKey,
): Promise<(() => void) | undefined> {
  if (connection.member === next) return undefined;
  checkSocketsOfMember(connections, next);
  return shared === null ? undefined : reserved(shared, { member: next });
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

function become(call: Call, visitor: Pick<Visitor, "identity" | "sessionHash">): void {
  const { ctx, connection, connections } = call;
  endOwnSession(ctx, connection);
  detachIdentity(ctx, connection, 0);
  connections.removeMember(connection);
  connection.identity = visitor.identity;
  connection.rightsAt = rightsNow(ctx);
  connection.sessionHash = visitor.sessionHash;
  connections.addMember(connection);
  attachIdentity(ctx, connection);
}
