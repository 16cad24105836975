import type { Config } from "../config.ts";
import type { AppContext } from "../context.ts";
import { readCookie, setCookie } from "../http/cookies.ts";
import * as store from "./devices.store.ts";
import type { SessionOrigin } from "./sessions.ts";

const COOKIE = "parley_device";
/** As long as browsers keep any cookie. A browser unused for so long is forgotten. */
const KEPT_MS = 400 * 86_400_000;
/** Clients that keep no cookies leave a row at each login; the ones used longest ago go first. */
const DEVICES_PER_USER = 20;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

const hashToken = (token: string): string => Bun.SHA256.hash(token, "hex");

/** Where a login comes from. */
export interface LoginOrigin extends SessionOrigin {
  /** The token in the device cookie; null or absent without one. */
  deviceToken?: string | null;
  /** True when the answer can carry a cookie, as on HTTP and not on a socket. */
  takesCookie?: boolean;
}

/**
 * A browser in which somebody has logged in before. It proves nothing: it only has a counter of wrong passwords of its own
 * (protocol §2), so it survives a new password and the end of all sessions.
 */
export interface KnownDevice {
  id: number;
  userId: number;
}

/** The browser that holds this token; null when the token is nobody's. */
export async function knownDevice(ctx: AppContext, token: string | null | undefined): Promise<KnownDevice | null> {
  if (token == null || !TOKEN.test(token)) return null;
  const row = await store.findDevice(ctx.db, hashToken(token), ctx.clock.now() - KEPT_MS);
  return row === null ? null : { id: row.id, userId: row.user_id };
}

/**
 * Notes that the user has logged in from there, in the caller's transaction. Returns the token that the answer's cookie is to carry; null:
 * none.
 */
export async function rememberDevice(
  ctx: AppContext,
  userId: number,
  known: KnownDevice | null,
  origin: LoginOrigin,
): Promise<string | null> {
  const now = ctx.clock.now();
  const userAgent = origin.userAgent?.slice(0, 256) ?? null;
  if (known?.userId === userId && (await store.touchDevice(ctx.db, known.id, userAgent, now)))
    return origin.deviceToken ?? null;
  if (origin.takesCookie !== true) return null;
  const token = Buffer.from(ctx.clock.random(32)).toString("base64url");
  const device = { user_id: userId, token_hash: hashToken(token), user_agent: userAgent };
  await store.insertDevice(ctx.db, { ...device, created_at: now, last_used_at: now });
  await store.removeOldestDevices(ctx.db, userId, DEVICES_PER_USER);
  return token;
}

/** The browsers known to a user, for the copy of their data. */
export const devicesOf = (ctx: AppContext, userId: number): Promise<store.DeviceRow[]> =>
  store.listDevices(ctx.db, userId);

/** The `Set-Cookie` by which a browser is known again. */
export const deviceCookie = (config: Config, token: string): string => setCookie(config, COOKIE, token, KEPT_MS / 1000);

/** The token of the device cookie in a `Cookie` header; null when there is none. */
export const readDeviceCookie = (config: Config, cookieHeader: string | null): string | null =>
  readCookie(config, COOKIE, cookieHeader);
