import type { AppContext } from "../context.ts";
import { frameOf } from "../realtime/publish.ts";
import type { Connection } from "./connection.ts";

/** Returns the first frame of a socket, which is repeated after `auth:login`: the data's epoch and the user. */
export function readyFrame(ctx: AppContext, { identity }: Connection): string {
  const user = identity.kind === "user" ? { username: identity.username, admin_level: identity.adminLevel } : null;
  return frameOf("session:ready", JSON.stringify({ epoch: ctx.epoch, user }));
}
