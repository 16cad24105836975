import { RATES } from "@parley/protocol/limits";
import { andThen } from "../../base/maybe-promise.ts";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import { limitSubject } from "../../http/connections/address.ts";
import { rateLimited } from "../../http/rates.ts";
import { nameKey } from "../names/names.ts";
import type { GuessGuard } from "../passwords/passwords.ts";
import { loginFailures } from "./login-failures.ts";

/** The keys by which a password guess is counted. */
export interface Guess {
  /** Unknown names are treated alike. */
  username: string;
  address: string;
  /** A browser known to have logged in to this account before. */
  deviceId: number | null;
}

/**
 * Throttles login guesses. A known browser may try while its own counter has room, whatever happens in its network;
 * otherwise it is treated like any other, so that a stolen cookie cannot be used up against the owner. While a guess
 * must wait, no password is checked and no failure is counted. Errors: `rate_limited`.
 */
export function loginThrottle(ctx: AppContext, { username, address, deviceId }: Guess): GuessGuard {
  const failures = loginFailures(ctx);
  const network = { kind: "network", key: limitSubject(address) } as const;
  // Usernames have at most 64 characters; truncating longer ones bounds the memory.
  const name = { kind: "name", key: `${nameKey(username).slice(0, 64)} ${network.key}` } as const;
  const device = deviceId === null ? [] : [{ kind: "device", key: String(deviceId) } as const];
  const refuseEarly = ([ofName = 0, ofNetwork = 0, ofDevice]: readonly number[]) => {
    const wait = Math.max(ofName, ofNetwork);
    if (wait === 0 || ofDevice === 0) return;
    throw fail("rate_limited", {
      message: "Too many failed logins from your network. Wait, then try again.",
      retryAfter: Math.min(wait, ofDevice ?? wait) / 1000,
    });
  };
  return {
    goesFirst: device.length > 0,
    before: () => andThen(failures.waitsOf([name, network, ...device]), refuseEarly),
    // A network keeps its failures: an attacker could log in to their own account to clear them.
    after: (matches) => (matches ? failures.clear([name, ...device]) : failures.add([name, network, ...device])),
  };
}

/**
 * Throttles repeated password entry in a live session, by session: failed logins elsewhere do not affect it, and a
 * stolen session cannot be used to guess. Errors: `rate_limited`.
 */
export function reauthenticationThrottle(ctx: AppContext, sessionId: number): GuessGuard {
  const subject = String(sessionId);
  return {
    goesFirst: true,
    // Taken before verification, so that concurrent guesses count too; a correct one is refunded.
    async before() {
      const decision = await ctx.limiter.take(RATES.reauthentication, subject);
      if (!decision.allowed) throw rateLimited(decision);
    },
    after(matches) {
      if (matches) ctx.limiter.giveBack(RATES.reauthentication, subject);
    },
  };
}
