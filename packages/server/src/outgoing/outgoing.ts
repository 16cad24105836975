import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Clock } from "../clock.ts";
import { type AppContext, perServer } from "../context.ts";
import { fail } from "../errors.ts";
import { type Networks, parseNetworks } from "./address-rules.ts";
import { addressProblem, type OutgoingUrl, parseOutgoingUrl, type UrlProblem } from "./outgoing-url.ts";
import { type OutgoingRequest, type OutgoingResult, type RequestLimits, sendRequest } from "./send-request.ts";
import { Slots } from "./slots.ts";

/** The limits of every request (protocol §13, Outgoing requests). */
const LIMITS: RequestLimits = { connectMs: 5_000, totalMs: 10_000, answerBytes: 64 * 1024 };
const AT_ONCE = 20;
const PER_HOST = 2;
const WAITING_MAX = 500;
const PROBLEMS: Record<UrlProblem, string> = {
  malformed: "is not a URL",
  too_long: "is too long",
  not_https: "must be https",
  has_credentials: "must not contain a user name or password",
  port_not_allowed: "must have port 443 or a port above 1023",
  blocked_address: "has an address that is not on the public internet",
  unknown_host: "has a host that cannot be found",
};

/** Returns all addresses of a host; rejects if it has none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

interface Options {
  /** Networks from which nothing is blocked. */
  allow: readonly string[];
  clock: Pick<Clock, "monotonic">;
  limits?: Partial<RequestLimits>;
  resolve?: Resolve;
  /** Certificate authorities instead of the system's. */
  ca?: string;
}

/**
 * Sends requests to addresses that users name. Every request of this kind goes through here, so that nobody can make the
 * server call its own network (SSRF), wait for long, or read without end.
 */
export class Outgoing {
  readonly #allowed: Networks;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #limits: RequestLimits;
  readonly #resolve: Resolve;
  readonly #ca: string | undefined;
  readonly #requests = new Slots({ total: AT_ONCE, perKey: PER_HOST, waiting: WAITING_MAX });
  /** A look-up that has timed out still occupies a thread, so it keeps its slot until it ends. */
  readonly #lookups = new Slots({ total: AT_ONCE, perKey: PER_HOST, waiting: WAITING_MAX });

  constructor({ allow, clock, limits, resolve = resolveHost, ca }: Options) {
    this.#clock = clock;
    this.#allowed = parseNetworks(allow);
    this.#limits = { ...LIMITS, ...limits };
    this.#resolve = resolve;
    this.#ca = ca;
  }

  /** Checks a URL when a user names it: its form, and where its host is now. Errors: `invalid_url`. */
  async check(raw: string): Promise<OutgoingUrl> {
    const parsed = parseOutgoingUrl(raw, this.#allowed);
    if (typeof parsed === "string") throw invalidUrl(parsed);
    const addresses = await this.#addressesOf(parsed.host);
    if (addresses === "overloaded") throw fail("overloaded", { retryAfter: 5 });
    const problem = addressProblem(parsed, addresses, this.#allowed);
    if (problem !== undefined) throw invalidUrl(problem);
    return parsed;
  }

  /**
   * Sends a request. The name is resolved once, every address of it must pass, and the connection goes to one of these
   * addresses: an answer of the DNS that changes later decides nothing. Never rejects.
   */
  async send(raw: string, request: OutgoingRequest): Promise<OutgoingResult> {
    const parsed = parseOutgoingUrl(raw, this.#allowed);
    if (typeof parsed === "string") return { outcome: "blocked_address" };
    const { connectMs, totalMs } = this.#limits;
    const started = this.#clock.monotonic();
    const addresses = await this.#addressesOf(parsed.host);
    if (addresses === "overloaded") return { outcome: "overloaded" };
    const problem = addressProblem(parsed, addresses, this.#allowed);
    if (problem !== undefined) return { outcome: problem === "unknown_host" ? "unreachable" : "blocked_address" };
    const spent = this.#clock.monotonic() - started;
    const limits = { ...this.#limits, connectMs: Math.max(connectMs - spent, 1), totalMs: totalMs - spent };
    // By address, too: a hundred names of one slow host are one host.
    const keys = [parsed.host, addresses[0] ?? ""];
    const target = { ...parsed, addresses, ca: this.#ca };
    const result = await this.#requests.run(keys, () => sendRequest(target, request, limits));
    return result ?? { outcome: "overloaded" };
  }

  /** Returns the host's addresses; none if it has none, or if its name servers are too slow. */
  async #addressesOf(host: string): Promise<readonly string[] | "overloaded"> {
    if (isIP(host) !== 0) return [host];
    const looking = this.#lookups.run([host], () => this.#resolve(host).catch(() => []));
    const { promise: late, resolve } = Promise.withResolvers<readonly string[]>();
    const timer = setTimeout(() => resolve([]), this.#limits.connectMs);
    const found = await Promise.race([looking, late]);
    clearTimeout(timer);
    return found ?? "overloaded";
  }
}

const invalidUrl = (problem: UrlProblem) =>
  fail("invalid_url", { details: [{ path: "url", message: PROBLEMS[problem] }] });

async function resolveHost(host: string): Promise<string[]> {
  return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
}

/** The module of this server. Its slots are this node's: each node has its own twenty. */
export const outgoing = perServer(
  (ctx: AppContext): Outgoing => new Outgoing({ allow: ctx.config.egressAllow, clock: ctx.clock }),
);
