import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import type { UserRow } from "../accounts.store.ts";
import { languageAsked, noteLanguage } from "../addresses/language.ts";
import { claimAtLogin } from "../claimable/claimable.ts";
import { noteNewDevice } from "../security-notices/security-notices.ts";
import {
  deviceCookie,
  hasDevice,
  type KnownDevice,
  type LoginOrigin,
  readDeviceCookie,
  rememberDevice,
} from "./devices.ts";
import { sessionCookie, startSession } from "./sessions.ts";

/** A new session. The token is only ever sent in the session cookie. */
export interface LoggedIn {
  token: string;
  /** The value for the device cookie; null if none is to be set. */
  device: string | null;
  identity: UserIdentity;
  user: { username: string; admin_level: number | null };
}

/** Starts a session and remembers the browser, in the caller's transaction. Call it only for a new account. */
export async function startLogin(
  ctx: AppContext,
  userId: number,
  known: KnownDevice | null,
  origin: LoginOrigin,
): Promise<LoggedIn> {
  const { token, identity } = await startSession(ctx, userId, origin);
  await noteLanguage(ctx, userId, origin.language ?? null);
  const device = await rememberDevice(ctx, userId, known, origin);
  return { token, device, identity, user: { username: identity.username, admin_level: identity.adminLevel } };
}

/**
 * Starts the session of a user who has proven who they are, in the caller's transaction, which holds the lock of the
 * user's row. Every login to an existing account ends here, whichever way it is made. A login in a browser that is new
 * to the account is noted for its owner. The first login claims an account that an import made.
 * @throws account_suspended
 */
export async function openSession(
  ctx: AppContext,
  user: UserRow,
  known: KnownDevice | null,
  origin: LoginOrigin,
): Promise<LoggedIn> {
  if (isSuspended(ctx, user)) throw fail("account_suspended");
  const isKnown = known?.userId === user.id;
  const isNew = !isKnown && !(await isFirstLogin(ctx, user.id, origin));
  const login = await startLogin(ctx, user.id, known, origin);
  await claimAtLogin(ctx, user.id);
  if (isNew) await noteNewDevice(ctx, login.identity, origin);
  return login;
}

/** True for the first browser of an account that the command line has made: there is none that it could differ from. */
const isFirstLogin = async (ctx: AppContext, userId: number, origin: LoginOrigin): Promise<boolean> =>
  origin.takesCookie === true && !(await hasDevice(ctx, userId));

export const isSuspended = (ctx: AppContext, user: UserRow): boolean => (user.suspended_until ?? 0) > ctx.clock.now();

/** The parts of a route's call that a login reads and writes. */
interface LoginCall {
  ctx: AppContext;
  address: string;
  request: Request;
  headers: Headers;
}

/** Returns the origin of a login: the address, the browser and its device cookie. */
export const originOf = (call: Omit<LoginCall, "headers">): LoginOrigin => ({
  address: call.address,
  userAgent: call.request.headers.get("user-agent"),
  deviceToken: readDeviceCookie(call.ctx.config, call.request.headers.get("cookie")),
  takesCookie: true,
  language: languageAsked(call.request.headers.get("accept-language")),
});

/** Sets a cookie and forbids caching of the response, because the cookie is a secret. */
export function giveCookie({ headers }: Pick<LoginCall, "headers">, cookie: string): void {
  headers.append("set-cookie", cookie);
  headers.set("cache-control", "no-store");
}

/** Sets the cookies of a new session and of its browser. */
export function giveLogin(
  call: Pick<LoginCall, "ctx" | "headers">,
  login: { token: string; device: string | null },
): void {
  giveCookie(call, sessionCookie(call.ctx.config, login.token));
  if (login.device !== null) giveCookie(call, deviceCookie(call.ctx.config, login.device));
}
