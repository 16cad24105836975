import type { Db } from "./db.ts";

/** Commits that began before the same moment. */
interface Generation {
  count: number;
  readonly over: PromiseWithResolvers<void>;
}

/**
 * The commits of one database that have passed their last check and are not over. Whoever takes a right away waits for
 * them: each may still be stored, and each that comes later is refused by its check.
 */
export class CommitsUnderWay {
  #current: Generation = newGeneration();
  readonly #earlier = new Set<Generation>();

  /** Notes a commit before its last check. Call the result when it is over, stored or not. */
  enter(): () => void {
    const generation = this.#current;
    generation.count += 1;
    return () => {
      generation.count -= 1;
      if (generation.count === 0 && generation !== this.#current) generation.over.resolve();
    };
  }

  /** Resolves when every commit that is under way now is over. */
  async settled(): Promise<void> {
    if (this.#current.count > 0) {
      const began = this.#current;
      this.#current = newGeneration();
      this.#earlier.add(began);
      void began.over.promise.then(() => this.#earlier.delete(began));
    }
    await Promise.all([...this.#earlier].map(({ over }) => over.promise));
  }
}

const newGeneration = (): Generation => ({ count: 0, over: Promise.withResolvers<void>() });

const all = new WeakMap<Db, CommitsUnderWay>();

/** Returns the commits of a database; `db` is not a transaction. */
export function commitsUnderWay(db: Db): CommitsUnderWay {
  const found = all.get(db);
  if (found !== undefined) return found;
  const made = new CommitsUnderWay();
  all.set(db, made);
  return made;
}
