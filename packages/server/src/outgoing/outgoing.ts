import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { type SlotLimits, Slots } from "../base/slots.ts";
import type { Clock } from "../clock.ts";
import { type AppContext, perServer } from "../context.ts";
import { fail } from "../errors.ts";
import { addressBlock, isAllowed, type Networks, parseNetworks } from "./address-rules.ts";
import { addressProblem, type OutgoingUrl, parseOutgoingUrl, type UrlProblem } from "./outgoing-url.ts";
import { type OutgoingRequest, type OutgoingResult, type RequestLimits, sendRequest } from "./send-request.ts";
import { SlowServices } from "./slow-services.ts";

/** The limits of every request (protocol §13, Outgoing requests). */
const LIMITS: RequestLimits = { connectMs: 5_000, totalMs: 10_000, answerBytes: 64 * 1024 };
const PER_HOST = 2;
const SLOTS: SlotLimits<Share> = {
  total: 20,
  perOwner: 4,
  shares: { kind: 14, block: 8, host: PER_HOST, address: PER_HOST, failing: 4 },
  waiting: 500,
  waitMs: 10_000,
};
const LOOKUP_WAIT_MS = 3_000;
const PROBLEMS: Record<UrlProblem, string> = {
  malformed: "is not a URL",
  too_long: "is too long",
  not_https: "must be https",
  has_credentials: "must not contain a user name or password",
  port_not_allowed: "must have port 443 or a port above 1023",
  blocked_address: "has an address that is not on the public internet",
  unknown_host: "has a host that cannot be found",
};

/**
 * What requests have in common besides the account they are for. `block`: the network of the address; `failing`: all
 * services that were slow three times in a row.
 */
type Share = "kind" | "block" | "host" | "address" | "failing";

/** For what and for whom a request is sent: accounts have equal shares of the requests. */
export interface Purpose {
  kind: "push" | "webhook" | "file" | "preview" | "import";
  /** The account, such as `u17`. */
  owner: string;
}

/** Returns all addresses of a host; rejects if it has none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** The slots of requests or of look-ups, and who was slow in them. */
interface Lane {
  slots: Slots<Share>;
  slow: SlowServices;
}

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
  readonly #requests: Lane;
  /** A look-up that has timed out still occupies a thread, so it keeps its slot until it ends. */
  readonly #lookups: Lane;

  constructor({ allow, clock, limits, resolve = resolveHost, ca }: Options) {
    this.#clock = clock;
    this.#allowed = parseNetworks(allow);
    this.#limits = { ...LIMITS, ...limits };
    this.#resolve = resolve;
    this.#ca = ca;
    this.#requests = { slots: new Slots(SLOTS), slow: new SlowServices(clock) };
    this.#lookups = { slots: new Slots({ ...SLOTS, waitMs: LOOKUP_WAIT_MS }), slow: new SlowServices(clock) };
  }

  /** Checks a URL when a user names it: its form, and where its host is now. Errors: `invalid_url`, `overloaded`. */
  async check(raw: string, purpose: Purpose): Promise<OutgoingUrl> {
    const parsed = parseOutgoingUrl(raw, this.#allowed);
    if (typeof parsed === "string") throw invalidUrl(parsed);
    const found = await this.#addressesOf(parsed.host, purpose);
    if (found === "overloaded") throw fail("overloaded", { retryAfter: 5 });
    const problem = addressProblem(parsed, found.addresses, this.#allowed);
    if (problem !== undefined) throw invalidUrl(problem);
    return parsed;
  }

  /**
   * Sends a request. The name is resolved once, every address of it must pass, and the connection goes to one of these
   * addresses: an answer of the DNS that changes later decides nothing. `overloaded`: it was not sent, because other
   * requests had all places for too long. Never rejects.
   */
  async send(raw: string, request: OutgoingRequest, purpose: Purpose): Promise<OutgoingResult> {
    const parsed = parseOutgoingUrl(raw, this.#allowed);
    if (typeof parsed === "string") return { outcome: "blocked_address" };
    const found = await this.#addressesOf(parsed.host, purpose);
    if (found === "overloaded") return { outcome: "overloaded" };
    const { addresses, tookMs } = found;
    const problem = addressProblem(parsed, addresses, this.#allowed);
    if (problem !== undefined) return { outcome: problem === "unknown_host" ? "unreachable" : "blocked_address" };
    const { connectMs, totalMs } = this.#limits;
    const limits = { ...this.#limits, connectMs: Math.max(connectMs - tookMs, 1), totalMs: totalMs - tookMs };
    const target = { ...parsed, addresses, ca: this.#ca };
    const [first = ""] = addresses;
    // By address, too: a hundred names of one slow host are one host. The operator's own networks are no stranger's block.
    const place = isAllowed(first, this.#allowed) ? { address: first } : { address: first, block: addressBlock(first) };
    const result = await inLane(this.#requests, { host: parsed.host, purpose, place }, () =>
      sendRequest(target, request, limits),
    );
    return result ?? { outcome: "overloaded" };
  }

  /** True if the account's last three requests to the host were slow, or its last three to all hosts. */
  isFailing(host: string, purpose: Purpose): boolean {
    return isFailing(this.#requests, host, purpose) || isFailing(this.#lookups, host, purpose);
  }

  /** Finds the host's addresses: none if it has none, or if its name servers are too slow. */
  async #addressesOf(
    host: string,
    purpose: Purpose,
  ): Promise<{ addresses: readonly string[]; tookMs: number } | "overloaded"> {
    if (isIP(host) !== 0) return { addresses: [host], tookMs: 0 };
    const { promise: late, resolve } = Promise.withResolvers<readonly string[]>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let started = this.#clock.monotonic();
    const looking = inLane(this.#lookups, { host, purpose }, () => {
      started = this.#clock.monotonic();
      timer = setTimeout(() => resolve([]), this.#limits.connectMs);
      return this.#resolve(host).catch(() => []);
    });
    const addresses = await Promise.race([looking, late]);
    clearTimeout(timer);
    return addresses === undefined ? "overloaded" : { addresses, tookMs: this.#clock.monotonic() - started };
  }
}

interface Call {
  host: string;
  purpose: Purpose;
  place?: { address: string; block?: string };
}

/** Runs a request or a look-up when there is a slot for it; undefined if there was none for too long. */
function inLane<T>(lane: Lane, { host, purpose, place }: Call, act: () => Promise<T>): Promise<T | undefined> {
  const { kind, owner } = purpose;
  const failing = isFailing(lane, host, purpose) ? { failing: "" } : {};
  return lane.slots.run({ owner, shares: { kind, host, ...place, ...failing } }, () =>
    lane.slow.watch(servicesOf(host, purpose), act),
  );
}

const isFailing = ({ slow }: Lane, host: string, purpose: Purpose): boolean =>
  servicesOf(host, purpose).some((name) => slow.isFailing(name));

/** By account, because what one account gets slowly from a host, another may get fast; and the account with all its hosts. */
const servicesOf = (host: string, { owner }: Purpose): string[] => [`${owner} ${host}`, owner];

const invalidUrl = (problem: UrlProblem) =>
  fail("invalid_url", { details: [{ path: "url", message: PROBLEMS[problem] }] });

async function resolveHost(host: string): Promise<string[]> {
  return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
}

/** The module of this server. Its slots are this node's: each node has its own twenty. */
export const outgoing = perServer(
  (ctx: AppContext): Outgoing => new Outgoing({ allow: ctx.config.egressAllow, clock: ctx.clock }),
);
