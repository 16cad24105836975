import { RATES } from "@parley/protocol/limits";
import { type AppContext, perServer } from "../context.ts";
import { fail } from "../errors.ts";
import { limitSubject } from "../http/address.ts";
import { rateLimited } from "../http/rates.ts";
import { FailureCounter } from "./failure-counter.ts";
import { nameKey } from "./names.ts";
import type { GuessGuard } from "./passwords.ts";

/** Failures in 15 minutes before a wait: of a name from one network, of a known browser, and of a network over all names. */
const FREE = { name: 5, device: 5, network: 100 } as const;

/**
 * Wrong passwords are never counted by name alone, so a stranger cannot keep an owner out (protocol §1). The counters live in the
 * memory of one node: several nodes allow as many times more.
 */
const counters = perServer(({ clock, config }) => ({
  names: new FailureCounter(clock, FREE.name),
  devices: new FailureCounter(clock, FREE.device),
  networks: new FailureCounter(clock, FREE.network * config.rateFactor),
}));

/** What a guess at the password of an account is counted by. */
export interface Guess {
  /** Names that nobody has are treated alike. */
  username: string;
  address: string;
  /** A browser known to have logged in to this very account before. */
  deviceId: number | null;
}

/**
 * Watches guesses at the door. A known browser may try while its own counter has room, whatever happens in its network; else it is treated
 * as any other, so that a thief of its cookie cannot use it up against the owner. While a guess has to wait, nothing is tried and
 * nothing is counted. Errors: `rate_limited`.
 */
export function loginThrottle(ctx: AppContext, { username, address, deviceId }: Guess): GuessGuard {
  const { names, devices, networks } = counters(ctx);
  const network = limitSubject(address);
  // No username is longer than 64: a longer one must not fill the memory.
  const name = `${nameKey(username).slice(0, 64)} ${network}`;
  const device = deviceId === null ? null : String(deviceId);
  return {
    goesFirst: device !== null,
    before() {
      const wait = Math.max(names.waitOf(name), networks.waitOf(network));
      if (wait === 0 || (device !== null && devices.waitOf(device) === 0)) return;
      throw fail("rate_limited", {
        message: "Too many failed logins from here; wait and try again.",
        retryAfter: (device === null ? wait : Math.min(wait, devices.waitOf(device))) / 1000,
      });
    },
    after(matches) {
      if (matches) {
        names.clear(name);
        if (device !== null) devices.clear(device);
        return; // A network keeps its failures: anybody there can log in to an account of their own.
      }
      names.add(name);
      networks.add(network);
      if (device !== null) devices.add(device);
    },
  };
}

/**
 * Watches the password shown again in a live session, by session: strangers at the door do not hinder it, and a stolen session is no
 * place to guess at. Errors: `rate_limited`.
 */
export function reauthenticationThrottle(ctx: AppContext, sessionId: number): GuessGuard {
  const subject = String(sessionId);
  return {
    goesFirst: true,
    // Taken before the look, so that guesses at the same time are counted too; the right one costs nothing.
    before() {
      const decision = ctx.limiter.take(RATES.reauthentication, subject);
      if (!decision.allowed) throw rateLimited(decision);
    },
    after(matches) {
      if (matches) ctx.limiter.giveBack(RATES.reauthentication, subject);
    },
  };
}
