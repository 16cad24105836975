import { createHash } from "node:crypto";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { runOnOne } from "../../cluster/duties.ts";
import { type AppContext, perServer } from "../../context.ts";
import { FailureCounter, WINDOW_MS, waitAfter } from "./failure-counter.ts";
import { countFailures, deleteFailures, deleteOldFailures, insertFailures } from "./login-failures.store.ts";

const SWEEP_MS = 60_000;

/**
 * Failures in 15 minutes before a wait: of a name from one network, of a known browser, and of a network over all
 * names.
 */
const FREE = { name: 5, device: 5, network: 100 } as const;

type Kind = keyof typeof FREE;

/** A thing that is counted: never a name alone, so that nobody can lock an owner out (protocol §1). */
export interface Subject {
  kind: Kind;
  key: string;
}

/** Wrong passwords: in memory on a lone server, in the database in a cluster, where they count for all nodes. */
interface LoginFailures {
  /** Returns the milliseconds that each subject must wait; 0: none. */
  waitsOf(subjects: readonly Subject[]): MaybePromise<number[]>;
  add(subjects: readonly Subject[]): MaybePromise<void>;
  clear(subjects: readonly Subject[]): MaybePromise<void>;
}

export const loginFailures = perServer((ctx): LoginFailures => {
  const free = { ...FREE, network: FREE.network * ctx.config.rateFactor };
  return ctx.cluster === null ? inMemory(ctx, free) : inDatabase(ctx, free);
});

function inMemory({ clock }: AppContext, free: Record<Kind, number>): LoginFailures {
  const counters: Record<Kind, FailureCounter> = {
    name: new FailureCounter(clock, free.name),
    device: new FailureCounter(clock, free.device),
    network: new FailureCounter(clock, free.network),
  };
  return {
    waitsOf: (subjects) => subjects.map(({ kind, key }) => counters[kind].waitOf(key)),
    add(subjects) {
      for (const { kind, key } of subjects) counters[kind].add(key);
    },
    clear(subjects) {
      for (const { kind, key } of subjects) counters[kind].clear(key);
    },
  };
}

function inDatabase({ db }: AppContext, free: Record<Kind, number>): LoginFailures {
  return {
    async waitsOf(subjects) {
      const found = await countFailures(db, subjects.map(keyOf), WINDOW_MS);
      return subjects.map((subject) => {
        const counted = found.find(({ key }) => key === keyOf(subject));
        if (counted === undefined) return 0;
        return Math.max(0, waitAfter(Number(counted.failures), free[subject.kind]) - Number(counted.since_last));
      });
    },
    add: (subjects) => insertFailures(db, subjects.map(keyOf)),
    clear: (subjects) => deleteFailures(db, subjects.map(keyOf)),
  };
}

/** Anyone can type any name: a hash is short, and any database can store it. */
const keyOf = ({ kind, key }: Subject): string => createHash("sha256").update(`${kind} ${key}`).digest("base64url");

/** Deletes the failures that no longer count. */
export function startLoginFailures(ctx: AppContext): void {
  if (ctx.cluster === null) return;
  runOnOne(ctx, "sweep login failures", SWEEP_MS, "the sweep of failed logins failed", () =>
    deleteOldFailures(ctx.db, WINDOW_MS),
  );
}
