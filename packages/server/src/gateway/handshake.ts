import { SOCKETS_PER_USER } from "@parley/protocol/limits";
import { SocketQuery } from "@parley/protocol/socket-query";
import { readDeviceCookie } from "../accounts/sessions/devices.ts";
import { authenticateCookie, sessionHashIn } from "../accounts/sessions/sessions.ts";
import { authenticateKey } from "../agents/keys/keys.ts";
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { keyHeader } from "../http/authenticate.ts";
import { FieldReader } from "../http/body/validate.ts";
import { type AgentIdentity, GUEST, type MemberKey } from "../http/identity.ts";
import { isAllowedOrigin } from "../http/origin.ts";
import { identitySubject, rateLimited, takeGeneral } from "../http/rates.ts";
import { GUEST_VISITOR, type Visitor } from "./connection.ts";
import type { Connections } from "./registry.ts";
import { type SharedSockets, TooManySockets } from "./shared-sockets.ts";

/** The limits of the number of sockets. */
interface Doors {
  connections: Connections;
  /** null on a lone server. */
  shared: SharedSockets | null;
}

/** A client that may connect. `release` must be called when its socket is open, or will not be. */
interface Admitted {
  visitor: Visitor;
  release?: () => void;
}

const query = new FieldReader(SocketQuery, {}, "invalid_request");

/** Returns true if the query asks for compact frames. Errors: `invalid_request` for a form that does not exist. */
export function asksForCompact({ url }: Request): boolean {
  const at = url.indexOf("?");
  if (at === -1) return false;
  const given = new URLSearchParams(url.slice(at));
  return query.read((name) => given.get(name)).frames === "compact";
}

/**
 * Checks a handshake in the protocol's order (§0): form, origin, address limit, credential, identity limit. An
 * `Authorization` header takes precedence over the cookie.
 * Synchronous when the session or key is cached. Errors: `method_not_allowed`, `invalid_request`, `cross_site`,
 * `too_many_sockets`, `rate_limited`, those of `authenticateKey`.
 */
export function admit(
  ctx: AppContext,
  { connections, shared }: Doors,
  request: Request,
  address: string,
): MaybePromise<Admitted> {
  if (request.method !== "GET") throw fail("method_not_allowed", { headers: { allow: "GET" } });
  if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
    throw fail("invalid_request", { message: "Open a WebSocket here." });
  }
  const authorization = keyHeader(request);
  // As on routes: no browser sends an API key by itself.
  if (authorization === null) checkOrigin(ctx, request);
  checkSocketsOfAddress(ctx, connections, address);
  const doors = { connections, shared };
  if (authorization !== null) {
    const found = authenticateAgent(ctx, authorization, address);
    return andThen(found, (identity) => admitVisitor(ctx, doors, address, { ...GUEST_VISITOR, identity }));
  }
  const cookies = request.headers.get("cookie");
  const deviceToken = readDeviceCookie(ctx.config, cookies);
  return andThen(authenticateCookie(ctx, cookies), (identity) => {
    const visitor: Visitor =
      identity === null
        ? { ...GUEST_VISITOR, deviceToken }
        : { identity, sessionHash: sessionHashIn(ctx, cookies), deviceToken };
    return admitVisitor(ctx, doors, address, visitor);
  });
}

/**
 * Returns the agent of an `Authorization` header. As on routes, a bad key costs its address as much as a missing one.
 * Errors: those of `authenticateKey`, `rate_limited`.
 */
export function authenticateAgent(
  ctx: AppContext,
  authorization: string,
  address: string,
): MaybePromise<AgentIdentity> {
  const refuse = (error: unknown): MaybePromise<never> =>
    andThen(takeGeneral(ctx, GUEST, identitySubject(GUEST, { address })), (decision) => {
      throw decision.allowed ? error : rateLimited(decision);
    });
  try {
    const found = authenticateKey(ctx, authorization);
    return found instanceof Promise ? found.catch(refuse) : found;
  } catch (error) {
    return refuse(error);
  }
}

function admitVisitor(
  ctx: AppContext,
  { connections, shared }: Doors,
  address: string,
  visitor: Visitor,
): MaybePromise<Admitted> {
  // Other sockets may have connected while the session was read.
  checkSocketsOfAddress(ctx, connections, address);
  const { identity } = visitor;
  return andThen(takeGeneral(ctx, identity, identitySubject(identity, { address })), (decision) => {
    if (!decision.allowed) throw rateLimited(decision);
    const member = identity.kind === "guest" ? null : identity.key;
    if (member !== null) checkSocketsOfMember(connections, member);
    if (shared === null) return { visitor };
    return reserved(shared, { address, member }).then((release) => ({ visitor, release }));
  });
}

function checkSocketsOfAddress(ctx: AppContext, connections: Connections, address: string): void {
  if (connections.countOfAddress(address) >= ctx.config.socketsPerAddress) throw tooMany();
}

/**
 * Reserves the place of a socket on all nodes. Call the returned function when it is open, or will not be. Errors:
 * `too_many_sockets`.
 */
export async function reserved(
  shared: SharedSockets,
  place: { address?: string; member: MemberKey | null },
): Promise<() => void> {
  try {
    return await shared.reserve(place);
  } catch (error) {
    throw error instanceof TooManySockets ? tooMany() : error;
  }
}

/** Limits sockets per user, and per agent, to 10 (protocol §9). */
export function checkSocketsOfMember(connections: Connections, member: MemberKey): void {
  if (connections.countOfMember(member) >= SOCKETS_PER_USER) throw tooMany();
}

/** An immediate retry would find the same sockets open. */
const tooMany = () => fail("too_many_sockets", { retryAfter: 5 });

/**
 * Refuses foreign pages, as on unsafe methods (protocol §1): a handshake is a GET, but it acts with the visitor's
 * cookie.
 */
function checkOrigin(ctx: AppContext, request: Request): void {
  const site = request.headers.get("sec-fetch-site");
  if (site === "same-origin" || site === "none") return;
  const origin = request.headers.get("origin");
  if (origin === null && site === null) return;
  if (origin !== null && isAllowedOrigin(ctx.config, request, origin)) return;
  throw fail("cross_site");
}
