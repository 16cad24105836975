import { isIP } from "node:net";
import { sql } from "kysely";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { lifecycle } from "./lifecycle.ts";

/** A database that takes longer is not one to send users to. */
const PROBE_MS = 2_000;

/** @throws draining, not_ready */
export async function requireReady(ctx: AppContext): Promise<void> {
  const { state } = lifecycle(ctx);
  if (state === "draining") throw fail("draining", { retryAfter: 5 });
  if (state === "starting" || !(await databaseAnswers(ctx))) throw fail("not_ready", { retryAfter: 2 });
}

async function databaseAnswers(ctx: AppContext): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, PROBE_MS, false);
  const probe = sql`select 1`.execute(ctx.db).then(
    () => true,
    (error) => {
      ctx.log.warn({ err: error }, "the database does not answer");
      return false;
    },
  );
  try {
    return await Promise.race([probe, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Is the caller on this machine? Whoever comes through a proxy is not, even when the proxy is. */
export function isLocalCaller(address: string, headers: Headers): boolean {
  if (headers.has("x-forwarded-for") || headers.has("forwarded") || headers.has("x-real-ip")) return false;
  return isIP(address) !== 0 && /^(::1$|(::ffff:)?127\.)/i.test(address);
}
