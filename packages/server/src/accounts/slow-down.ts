import { type AppContext, perServer } from "../context.ts";
import { fail } from "../errors.ts";
import { nameKey } from "./names.ts";
import type { GuessGuard } from "./passwords.ts";

const WINDOW_MS = 15 * 60_000;
const FREE_FAILURES = 5;
const FIRST_WAIT_MS = 5_000;
/** The longest wait: somebody who fails on purpose can be a nuisance to the owner of a name, but never locks him out. */
const LONGEST_WAIT_MS = 5 * 60_000;
const NAMES_MAX = 20_000;

interface Failures {
  times: number[];
  /** Monotonic time before which the name has to wait. */
  until: number;
}

/**
 * Failed passwords by name (contract, section 2): after 5 failures in 15 minutes each further one doubles the wait. While a name
 * waits, nothing is tried, the right password included, and nothing is counted. Names that nobody has are treated alike.
 */
const failures = perServer(() => new Map<string, Failures>());

/** No user's name is longer; a longer one must not fill the memory. */
const keyOf = (username: string): string => nameKey(username).slice(0, 64);

/** Watches guesses at the password of that name. */
export function slowDown(ctx: AppContext, username: string): GuessGuard {
  return {
    before: () => checkSlowDown(ctx, username),
    after: (matches) => (matches ? noteSuccess(ctx, username) : noteFailure(ctx, username)),
  };
}

/** @throws rate_limited while the name has to wait */
export function checkSlowDown(ctx: AppContext, username: string): void {
  const found = failures(ctx).get(keyOf(username));
  if (found === undefined) return;
  const wait = found.until - ctx.clock.monotonic();
  if (wait <= 0) return;
  throw fail("rate_limited", {
    message: "Too many failed logins with this name; wait and try again.",
    retryAfter: wait / 1000,
  });
}

export function noteFailure(ctx: AppContext, username: string): void {
  const now = ctx.clock.monotonic();
  const names = failures(ctx);
  const key = keyOf(username);
  const times = (names.get(key)?.times ?? []).filter((time) => time > now - WINDOW_MS);
  times.push(now);
  const over = times.length - FREE_FAILURES;
  const wait = over < 0 ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** over);
  names.delete(key); // to the end: the map is ordered by the last failure
  names.set(key, { times, until: now + wait });
  forgetOld(names, now);
}

export function noteSuccess(ctx: AppContext, username: string): void {
  failures(ctx).delete(keyOf(username));
}

function forgetOld(names: Map<string, Failures>, now: number): void {
  for (const [key, { times }] of names) {
    const last = times.at(-1) ?? 0;
    if (names.size <= NAMES_MAX && last > now - WINDOW_MS) return;
    names.delete(key);
  }
}
