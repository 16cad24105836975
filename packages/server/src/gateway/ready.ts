import type { AppContext } from "../context.ts";
import { frameOf } from "../realtime/publish.ts";
import type { Connection } from "./connection.ts";

/** The first frame of a socket, and again after `auth:login`: which data this is, and who one is. */
export function readyFrame(ctx: AppContext, { identity }: Connection): string {
  const user = identity.kind === "user" ? { username: identity.username, admin_level: identity.adminLevel } : null;
  return frameOf("session:ready", JSON.stringify({ epoch: ctx.epoch, user }));
}
