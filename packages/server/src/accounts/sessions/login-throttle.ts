import { RATES } from "@parley/protocol/limits";
import { type AppContext, perServer } from "../../context.ts";
import { fail } from "../../errors.ts";
import { limitSubject } from "../../http/connections/address.ts";
import { rateLimited } from "../../http/rates.ts";
import { nameKey } from "../names/names.ts";
import type { GuessGuard } from "../passwords/passwords.ts";
import { FailureCounter } from "./failure-counter.ts";

/**
 * Failures in 15 minutes before a wait: of a name from one network, of a known browser, and of a network over all
 * names.
 */
const FREE = { name: 5, device: 5, network: 100 } as const;

/**
 * Counters of wrong passwords, never by name alone, so that a stranger cannot lock an owner out (protocol §1). They
 * live in the memory of one node, so several nodes allow as many times more.
 */
const counters = perServer(({ clock, config }) => ({
  names: new FailureCounter(clock, FREE.name),
  devices: new FailureCounter(clock, FREE.device),
  networks: new FailureCounter(clock, FREE.network * config.rateFactor),
}));

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
  const { names, devices, networks } = counters(ctx);
  const network = limitSubject(address);
  // Usernames have at most 64 characters; truncating longer ones bounds the memory.
  const name = `${nameKey(username).slice(0, 64)} ${network}`;
  const device = deviceId === null ? null : String(deviceId);
  return {
    goesFirst: device !== null,
    before() {
      const wait = Math.max(names.waitOf(name), networks.waitOf(network));
      if (wait === 0 || (device !== null && devices.waitOf(device) === 0)) return;
      throw fail("rate_limited", {
        message: "Too many failed logins from your network. Wait, then try again.",
        retryAfter: (device === null ? wait : Math.min(wait, devices.waitOf(device))) / 1000,
      });
    },
    after(matches) {
      if (matches) {
        names.clear(name);
        if (device !== null) devices.clear(device);
        return; // A network keeps its failures: an attacker could log in to their own account to clear them.
      }
      names.add(name);
      networks.add(network);
      if (device !== null) devices.add(device);
    },
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
    before() {
      const decision = ctx.limiter.take(RATES.reauthentication, subject);
      if (!decision.allowed) throw rateLimited(decision);
    },
    after(matches) {
      if (matches) ctx.limiter.giveBack(RATES.reauthentication, subject);
    },
  };
}
