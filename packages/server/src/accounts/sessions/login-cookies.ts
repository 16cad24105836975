import type { AppContext } from "../../context.ts";
import { deviceCookie, type LoginOrigin, readDeviceCookie } from "./devices.ts";
import { sessionCookie } from "./sessions.ts";

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
