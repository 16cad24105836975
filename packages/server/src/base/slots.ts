import { fail } from "../errors.ts";

/** Smaller limits are not halved: an owner alone can use them up. */
const HALVED_FROM = 4;

/** The limits of acts that run at a time. `Share` names what acts have in common besides their owner, such as a host. */
export interface SlotLimits<Share extends string = never> {
  /** Acts in all. */
  total: number;
  /** Acts of one owner. */
  perOwner: number;
  /** Acts with the same key of a share. */
  shares: Readonly<Record<Share, number>>;
  /** Acts that may wait. */
  waiting: number;
  /** Milliseconds that an act waits at most. */
  waitMs: number;
}

/** The owner and the shares to which an act counts. */
export interface Claim<Share extends string = never> {
  /** For whom it runs, such as a user. */
  owner: string;
  /** Its key of each share; an absent share does not limit it. */
  shares?: Readonly<Partial<Record<Share, string>>>;
}

interface Waiter<Share extends string> {
  claim: Claim<Share>;
  /** Lets the act run, or tells it that it may not. */
  end(mayRun: boolean): void;
}

/**
 * Limits how many acts run at a time, so that a few owners with slow acts do not take everybody's slots.
 *
 * - An owner who has a slot gets another one only in the first half of all slots and of each share of four or more; the
 *   other half is kept for owners who have none.
 * - Waiting acts get slots in turn by owner. An act whose share is used up lets others pass.
 * - When too many acts wait, the owner with the most gives up a place to one with fewer.
 */
export class Slots<Share extends string = never> {
  readonly #limits: SlotLimits<Share>;
  /** Running acts: by owner, and by share and key. */
  readonly #owners = new Map<string, number>();
  readonly #keys = new Map<string, number>();
  #running = 0;
  /** Waiting acts by owner. The first owner is the next one. */
  readonly #queues = new Map<string, Waiter<Share>[]>();
  #waiting = 0;

  constructor(limits: SlotLimits<Share>) {
    this.#limits = limits;
  }

  /** Runs the act when there is a slot for it. Returns undefined, without running it, if it would wait for too long. */
  async run<T>(claim: Claim<Share>, act: () => Promise<T>): Promise<T | undefined> {
    const leave = this.enter(claim);
    if (leave === undefined && !(await this.#turn(claim))) return undefined;
    try {
      return await act();
    } finally {
      this.#leave(claim);
    }
  }

  /** Takes a slot without waiting. Returns the function that gives it back, to be called once; undefined: none is free. */
  enter(claim: Claim<Share>): (() => void) | undefined {
    if (!this.#fits(claim)) return undefined;
    this.#take(claim);
    return () => this.#leave(claim);
  }

  #fits(claim: Claim<Share>): boolean {
    const { total, perOwner, shares } = this.#limits;
    const own = this.#owners.get(claim.owner) ?? 0;
    const open = (limit: number) => (own === 0 || limit < HALVED_FROM ? limit : Math.ceil(limit / 2));
    if (own >= perOwner || this.#running >= open(total)) return false;
    return keysOf(claim).every(([share, key]) => (this.#keys.get(key) ?? 0) < open(shares[share]));
  }

  #take(claim: Claim<Share>): void {
    this.#running += 1;
    add(this.#owners, claim.owner, 1);
    for (const [, key] of keysOf(claim)) add(this.#keys, key, 1);
  }

  #leave(claim: Claim<Share>): void {
    this.#running -= 1;
    add(this.#owners, claim.owner, -1);
    for (const [, key] of keysOf(claim)) add(this.#keys, key, -1);
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#remove(next);
      this.#lastInTurn(next.claim.owner);
      // Taken here, so that no other caller can take it in between.
      this.#take(next.claim);
      next.end(true);
    }
  }

  /** Waits for a slot and takes it. Returns false if there was none in time. */
  #turn(claim: Claim<Share>): Promise<boolean> {
    if (this.#waiting >= this.#limits.waiting && !this.#makePlace(claim.owner)) return Promise.resolve(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const giveUp = () => {
      this.#remove(waiter);
      resolve(false);
    };
    const timer = setTimeout(giveUp, this.#limits.waitMs);
    const waiter: Waiter<Share> = {
      claim,
      end(mayRun) {
        clearTimeout(timer);
        resolve(mayRun);
      },
    };
    const queue = this.#queues.get(claim.owner);
    if (queue === undefined) this.#queues.set(claim.owner, [waiter]);
    else queue.push(waiter);
    this.#waiting += 1;
    return promise;
  }

  /** Refuses the newest act of the owner with the most waiting acts. Returns false if `owner` would then have the most. */
  #makePlace(owner: string): boolean {
    const own = this.#queues.get(owner)?.length ?? 0;
    const longest = [...this.#queues.values()].reduce((a, b) => (b.length > a.length ? b : a), []);
    const last = longest.at(-1);
    if (last === undefined || longest.length <= own + 1) return false;
    this.#remove(last);
    last.end(false);
    return true;
  }

  /** Returns the next act that may run. */
  #next(): Waiter<Share> | undefined {
    if (this.#running >= this.#limits.total) return undefined;
    for (const queue of this.#queues.values()) {
      const found = queue.find(({ claim }) => this.#fits(claim));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #remove(waiter: Waiter<Share>): void {
    const { owner } = waiter.claim;
    const rest = this.#queues.get(owner)?.filter((other) => other !== waiter) ?? [];
    if (rest.length > 0) this.#queues.set(owner, rest);
    else this.#queues.delete(owner);
    this.#waiting -= 1;
  }

  #lastInTurn(owner: string): void {
    const queue = this.#queues.get(owner);
    if (queue === undefined) return;
    this.#queues.delete(owner);
    this.#queues.set(owner, queue);
  }
}

/** Returns the shares of a claim, each with a key that no other share has. */
const keysOf = <Share extends string>({ shares }: Claim<Share>): [share: Share, key: string][] =>
  (Object.entries(shares ?? {}) as [Share, string | undefined][]).flatMap(([share, key]) =>
    key === undefined ? [] : [[share, `${share} ${key}`]],
  );

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

/**
 * Runs a request when there is a slot for it. For services of the operator's choice, which strangers make the server
 * ask; `Outgoing` has slots of its own.
 * @throws overloaded, before anything was sent, if there was no slot for too long; and what the request throws
 */
export async function takeTurn<Share extends string, T>(
  slots: Slots<Share>,
  claim: Claim<Share>,
  { retryAfter }: { retryAfter: number },
  request: () => Promise<T>,
): Promise<T> {
  const done = await slots.run(claim, async () => ({ result: await request() }));
  if (done === undefined) throw fail("overloaded", { retryAfter });
  return done.result;
}
