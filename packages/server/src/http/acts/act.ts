import { type Act, type AppContext, derived, type RightCheck } from "../../context.ts";
import { fail } from "../../errors.ts";
import { port } from "../../hook.ts";
import { endedRights } from "../../realtime/control/ended-rights.ts";
import type { AgentIdentity, Identity, UserIdentity } from "../identity.ts";

type Caller = UserIdentity | AgentIdentity;

/** Reads a caller anew, from the database, under the locks of their rows. Throws if their session or key has ended. */
export interface Callers {
  user(ctx: AppContext, caller: UserIdentity): Promise<UserIdentity>;
  agent(ctx: AppContext, caller: AgentIdentity): Promise<AgentIdentity>;
}

/** The slices that own sessions and keys register how to read them anew. */
export const callers = port<Callers>("callers");

/**
 * An act of a user or agent, from its admission to its last commit. Its caller's session and level let it in, and the
 * checks that it remembers. If one of these rights may have ended when it commits, or something slow came between, they
 * are decided again inside the transaction that writes (`transact`).
 */
class CallersAct implements Act {
  readonly #caller: Caller;
  /** The subjects in channels whose change concerns it, besides its caller. */
  #places: number[] | null = null;
  #checks: RightCheck[] | null = null;
  /** Other proofs of the caller, such as a password. They do not decide whether the level suffices. */
  #proofs: RightCheck[] | null = null;
  /** The version of the node's ended rights at which it was decided. */
  #since: number;
  /** Up to this version nothing was touched that concerns it, since it was decided: usually this needs no look-up. */
  #untouchedUntil: number;
  #isSlow = false;
  /** The transaction that has decided again since the last slow call. */
  #decidedIn: unknown = null;

  constructor(caller: Caller, since: number) {
    this.#caller = caller;
    this.#since = since;
    this.#untouchedUntil = since;
  }

  get session(): Act["session"] {
    return this.#caller.kind === "user" ? this.#caller : null;
  }

  decideAtWrite(): void {
    this.#isSlow = true;
    this.#decidedIn = null;
  }

  remember(check: RightCheck, channelId?: number): void {
    this.#checks ??= [];
    this.#checks.push(check);
    if (channelId === undefined) return;
    this.#places ??= [];
    this.#places.push(channelId);
    // It was decided before this place was known: look at all that was touched since then.
    this.#untouchedUntil = this.#since;
  }

  rememberProof(check: RightCheck): void {
    this.#proofs ??= [];
    this.#proofs.push(check);
  }

  holds(ctx: AppContext): boolean {
    const { version } = endedRights(ctx);
    if (version === this.#untouchedUntil) return true;
    if (this.#isTouchedSince(ctx, this.#since)) return false;
    this.#untouchedUntil = version;
    return true;
  }

  #isTouchedSince(ctx: AppContext, since: number): boolean {
    const rights = endedRights(ctx);
    const { key } = this.#caller;
    const login = this.#caller.kind === "user" ? `s${this.#caller.sessionId}` : `k${this.#caller.keyId}`;
    const touched = (subject: string) => rights.isTouched(subject, since);
    const ofPlace = (id: number) => touched(`c${id}`) || touched(`${id}:${key}`);
    return touched(key) || touched(login) || this.#places?.some(ofPlace) === true;
  }

  mustDecide(ctx: AppContext): boolean {
    return this.#isSlow && this.#decidedIn !== ctx.db;
  }

  committed(ctx: AppContext, held: boolean): void {
    this.#isSlow = false;
    if (held) this.#decidedAt(endedRights(ctx).version);
  }

  #decidedAt(version: number): void {
    this.#since = version;
    this.#untouchedUntil = version;
  }

  async decideAgain(ctx: AppContext): Promise<void> {
    const anew = derived(ctx);
    anew.readsAnew = true;
    anew.act = undefined;
    // Only a decision that lets the act go on counts: a refused act is decided, and refused, each time it is tried.
    let at: number;
    do {
      at = endedRights(ctx).version;
      const caller = await this.#callerNow(anew);
      for (const checks of [this.#checks, this.#proofs]) for (const check of checks ?? []) await check(anew, caller);
    } while (this.#isTouchedSince(ctx, at));
    this.#decidedAt(at);
    this.#decidedIn = ctx.db;
  }

  /** Errors: those of the caller's authentication; `forbidden` if a level fell on which no remembered check decides. */
  async #callerNow(ctx: AppContext): Promise<Identity> {
    const read = callers.of(ctx);
    const before = this.#caller;
    if (before.kind === "agent") return read.agent(ctx, before);
    const now = await read.user(ctx, before);
    const hasFallen = (now.adminLevel ?? 0) < (before.adminLevel ?? 0);
    if (hasFallen && this.#checks === null) throw fail("forbidden");
    return now;
  }
}

/** Returns the number of the newest ended right. Take it before the credential is read, for `actingFor`. */
export const rightsNow = (ctx: AppContext): number => endedRights(ctx).version;

/**
 * Returns the context in which the caller's request or command runs. The rights of guests do not end. `since`: the
 * number (`rightsNow`) before the caller was identified: a right that ended later may be missing in what was read.
 */
export function actingFor(ctx: AppContext, caller: Identity, since: number): AppContext {
  if (caller.kind === "guest" || ctx.act !== undefined) return ctx;
  return actingAs(ctx, new CallersAct(caller, since));
}

/** Returns the context of a part of the work that this act does; undefined: it needs nobody's right. */
function actingAs(ctx: AppContext, act: Act | undefined): AppContext {
  const acting = derived(ctx);
  acting.act = act;
  return acting;
}

/**
 * Runs a check that lets the caller act, and has it run again in the transaction that writes if the right may have
 * ended meanwhile. `channelId`: changes of that channel and of the caller's place in it concern the check.
 */
export function decide<T, C extends Identity>(
  ctx: AppContext,
  caller: C,
  check: (ctx: AppContext, caller: C) => T,
  channelId?: number,
): T {
  if (ctx.act === undefined) return check(ctx, caller);
  // A caller who is read anew is of the same kind.
  ctx.act.remember((ctx, caller) => check(ctx, caller as C), channelId);
  return check(withoutAct(ctx), caller);
}

/**
 * Returns the context without its act: for what has happened outside, such as a payment, and must be recorded whatever
 * becomes of the caller; and for checks that another check contains.
 */
export const withoutAct = (ctx: AppContext): AppContext => (ctx.act === undefined ? ctx : actingAs(ctx, undefined));
