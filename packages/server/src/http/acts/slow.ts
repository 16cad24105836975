import type { AppContext } from "../../context.ts";
import { hook } from "../../hook.ts";

/** What takes so long that rights may end meanwhile. */
export type SlowKind =
  | "hash"
  | "picture"
  | "dns"
  | "request"
  | "lookup"
  | "chain"
  | "storage"
  | "upload"
  | "scan"
  | "signature"
  | "provider";

/** Called before each slow call; the call waits for the result. Only for tests, which take a right away meanwhile. */
export const beforeSlow = hook<(kind: SlowKind) => Promise<void>>();

/**
 * Runs what is slow between the check of a right and the write. **Every slow call passes here**: the act decides again
 * inside each transaction that follows (`transact`). `ctx` is the context of the request.
 */
export async function slowly<T>(ctx: AppContext, kind: SlowKind, call: () => Promise<T>): Promise<T> {
  ctx.act?.decideAtWrite();
  // Background work belongs to no user. It has the server's own context.
  if (ctx !== ctx.root) for (const hold of beforeSlow.of(ctx)) await hold(kind);
  return call();
}
