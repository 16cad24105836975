import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import type { RateDecision } from "../rate-limit/rate-limiter.ts";
import type { Trust } from "../realtime/control/trust.ts";
import { limitSubject } from "./connections/address.ts";
import { assertSetUp, type Identity } from "./identity.ts";
import { assertScope } from "./key-scopes.ts";
import { identitySubject, isRatedByAddress, rateLimited, takeGeneral, takeRoute } from "./rates.ts";
import type { Auth, Terms } from "./route.ts";

/** A request, a command of a socket or a call by a tool that asks for an operation. */
export interface Asking {
  /** The caller; a guest until `identify` has read the credential. */
  readonly caller: Identity;
  /** Read only where a limit counts by it: over HTTP it costs a system call. */
  readonly address: string;
  /** The tightest limit so far, for the headers of an answer. */
  rate: RateDecision | undefined;
  /** True if the caller's general limit has counted this call already. */
  readonly isCounted: boolean;
}

/**
 * Admits a caller to an operation, in the protocol's order (§0): the address's limits, the credential, the caller's
 * limits, the key's scope, the second factor. Every door calls it, after the size and before the schema. It returns no
 * promise when all of it is in memory. `identify` reads or checks the credential.
 */
export function admit<A extends Asking>(
  ctx: AppContext,
  terms: Terms,
  asking: A,
  identify: (asking: A, auth: Auth) => MaybePromise<void>,
): MaybePromise<void> {
  if (!isRatedByAddress(terms)) return identified(ctx, terms, asking, identify);
  return andThen(takeRoute(ctx, terms, "address", limitSubject(asking.address), undefined), (rate) => {
    asking.rate = rate;
    return identified(ctx, terms, asking, identify);
  });
}

function identified<A extends Asking>(
  ctx: AppContext,
  terms: Terms,
  asking: A,
  identify: (asking: A, auth: Auth) => MaybePromise<void>,
): MaybePromise<void> {
  let found: MaybePromise<void>;
  try {
    found = identify(asking, terms.auth);
  } catch (error) {
    return limited(ctx, terms, asking, error);
  }
  if (!(found instanceof Promise)) return limited(ctx, terms, asking, undefined);
  return found.then(
    () => limited(ctx, terms, asking, undefined),
    (error: unknown) => limited(ctx, terms, asking, error),
  );
}

/** Takes from the caller's limits. A bad credential (`refusal`) costs its address as much as a missing one. */
function limited(ctx: AppContext, terms: Terms, asking: Asking, refusal: unknown): MaybePromise<void> {
  const subject = identitySubject(asking.caller, asking);
  if (asking.isCounted || (terms.isUncounted === true && refusal === undefined)) {
    if (refusal !== undefined) throw refusal;
    return limitedByTerms(ctx, terms, asking, subject);
  }
  return andThen(takeGeneral(ctx, asking.caller, subject), (general) => {
    asking.rate ??= general;
    if (!general.allowed) throw rateLimited(general);
    if (refusal !== undefined) throw refusal;
    return limitedByTerms(ctx, terms, asking, subject);
  });
}

function limitedByTerms(ctx: AppContext, terms: Terms, asking: Asking, subject: string): MaybePromise<void> {
  if (terms.rates === undefined) return checkCaller(terms, asking.caller);
  return andThen(takeRoute(ctx, terms, "identity", subject, asking.rate), (rate) => {
    asking.rate = rate;
    checkCaller(terms, asking.caller);
  });
}

function checkCaller({ auth, scope, beforeSecondFactor }: Terms, caller: Identity): void {
  // It reads no credential, so nothing limits the caller, whom a socket may know all the same.
  if (auth === "open") return;
  assertScope(caller, scope);
  if (beforeSecondFactor !== true) assertSetUp(caller);
}

/**
 * Checks a caller who was identified before, on a socket or by an outer request.
 * @throws session_required, missing_api_key
 */
export function assertIdentified({ caller: { kind } }: Asking, auth: Auth): void {
  if (auth === "agent" && kind !== "agent") throw fail("missing_api_key");
  if ((auth === "session" && kind !== "user") || (auth === "member" && kind === "guest"))
    throw fail("session_required");
}

/**
 * On a node of a cluster (`trust` is not null), waits until the node has heard of the latest revocations. A read is not
 * answered if the node stopped hearing of them meanwhile.
 */
export function trusted<T>(trust: Trust | null, isRead: boolean, perform: () => MaybePromise<T>): MaybePromise<T> {
  if (trust === null) return perform();
  const inPeriod = () => {
    const { period } = trust;
    return andThen(perform(), (answer) => {
      if (isRead) trust.assertSince(period);
      return answer;
    });
  };
  return trust.isGood ? inPeriod() : trust.good().then(inPeriod);
}
