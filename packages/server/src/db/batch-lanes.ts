import type { AppContext } from "../context.ts";
import { BatchQueue } from "./batch-queue.ts";

/** A batch that runs longer is slow: drafts with other keys no longer wait behind it. */
const SLOW_MS = 5;

type Options<D, A> = Omit<ConstructorParameters<typeof BatchQueue<D, A>>[1], "load"> & {
  /** How many batches may be committed at once. */
  lanes: number;
  /** Drafts with the same key are committed in the order they were added. */
  keyOf(draft: D): number;
};

interface Lane<D, A> {
  readonly queue: BatchQueue<D, A>;
  /** Since when its batch is being committed, monotonic ms. */
  since: number | undefined;
}

/** Where the unanswered drafts of a key are, and how many. */
interface Place<D, A> {
  readonly lane: Lane<D, A>;
  drafts: number;
}

/**
 * Several batch queues side by side, so that a slow batch does not delay everything. Drafts go to the first lane whose
 * batch is not slow: as long as none is, one lane takes all, because larger batches are cheaper. A key with unanswered
 * drafts stays in their lane. Each lane keeps the promises of a batch queue, but the order is kept by key only; all
 * share the limits of one.
 */
export class BatchLanes<D, A> {
  readonly #clock: AppContext["clock"];
  readonly #keyOf: (draft: D) => number;
  readonly #lanes: readonly Lane<D, A>[];
  readonly #places = new Map<number, Place<D, A>>();

  constructor(ctx: Pick<AppContext, "storageError" | "clock">, options: Options<D, A>) {
    const { lanes, keyOf, commit, ...others } = options;
    const load = { drafts: 0, bytes: 0 };
    this.#clock = ctx.clock;
    this.#keyOf = keyOf;
    this.#lanes = Array.from({ length: lanes }, () => {
      const timed = async (drafts: readonly D[]) => {
        lane.since = this.#clock.monotonic();
        try {
          return await commit(drafts);
        } finally {
          lane.since = undefined;
        }
      };
      const run = lanes === 1 ? commit : timed;
      const lane: Lane<D, A> = { queue: new BatchQueue<D, A>(ctx, { ...others, load, commit: run }), since: undefined };
      return lane;
    });
  }

  /** @throws overloaded, at once, if too many drafts or bytes already wait in all lanes together */
  add(draft: D): Promise<A> {
    const [first] = this.#lanes;
    if (first !== undefined && this.#lanes.length === 1) return first.queue.add(draft);
    const key = this.#keyOf(draft);
    const place = this.#places.get(key) ?? { lane: this.#quickLane(), drafts: 0 };
    const answer = place.lane.queue.add(draft);
    place.drafts += 1;
    this.#places.set(key, place);
    const answered = () => {
      place.drafts -= 1;
      if (place.drafts === 0) this.#places.delete(key);
    };
    answer.then(answered, answered);
    return answer;
  }

  /** Returns the first lane whose batch is not slow; if all are, the one whose batch began last. */
  #quickLane(): Lane<D, A> {
    const now = this.#clock.monotonic();
    const sinceOf = ({ since }: Lane<D, A>) => since ?? now;
    const quick = this.#lanes.find((lane) => now - sinceOf(lane) < SLOW_MS);
    return quick ?? this.#lanes.reduce((latest, lane) => (sinceOf(lane) > sinceOf(latest) ? lane : latest));
  }

  /** Resolves when every added draft is answered. */
  async settled(): Promise<void> {
    while (this.#lanes.some(({ queue }) => !queue.isIdle))
      await Promise.all(this.#lanes.map(({ queue }) => queue.settled()));
  }
}
