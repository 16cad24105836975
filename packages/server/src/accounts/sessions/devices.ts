import type { Config } from "../../config/config.ts";
import type { AppContext } from "../../context.ts";
import { readCookie, setCookie } from "../../http/cookies.ts";
import * as store from "./devices.store.ts";
import type { SessionOrigin } from "./sessions.ts";

const COOKIE = "parley_device";
/** The longest lifetime browsers allow for a cookie. A browser that is unused for this long is forgotten. */
const KEPT_MS = 400 * 86_400_000;
/** Clients without cookies add a row at each login; the least recently used rows are removed first. */
const DEVICES_PER_USER = 20;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

const hashToken = (token: string): string => Bun.SHA256.hash(token, "hex");

/** The origin of a login. */
export interface LoginOrigin extends SessionOrigin {
  /** The token in the device cookie; null or absent without one. */
  deviceToken?: string | null;
  /** True when the response can set a cookie: over HTTP, but not on a socket. */
  takesCookie?: boolean;
}

/**
 * A browser in which the user has logged in before. It proves nothing: it only has its own counter of wrong passwords
 * (protocol §2), so it outlives a password change and the end of all sessions.
 */
export interface KnownDevice {
  id: number;
  userId: number;
}

/** Returns the browser with this token; null when the token is unknown. */
export async function knownDevice(ctx: AppContext, token: string | null | undefined): Promise<KnownDevice | null> {
  if (token == null || !TOKEN.test(token)) return null;
  const row = await store.findDevice(ctx.db, hashToken(token), ctx.clock.now() - KEPT_MS);
  return row === null ? null : { id: row.id, userId: row.user_id };
}

/**
 * Records a login of the user in this browser, in the caller's transaction. Returns the token for the device cookie;
 * null if none is to be set.
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

/** True if the user has logged in from a browser before. */
export const hasDevice = (ctx: AppContext, userId: number): Promise<boolean> => store.hasDevice(ctx.db, userId);

/** Lists a user's known browsers, for the export of their data. */
export const devicesOf = (ctx: AppContext, userId: number): Promise<store.DeviceRow[]> =>
  store.listDevices(ctx.db, userId);

/** Returns the `Set-Cookie` value of the device cookie. */
export const deviceCookie = (config: Config, token: string): string => setCookie(config, COOKIE, token, KEPT_MS / 1000);

/** Returns the device token in a `Cookie` header; null when there is none. */
export const readDeviceCookie = (config: Config, cookieHeader: string | null): string | null =>
  readCookie(config, COOKIE, cookieHeader);
