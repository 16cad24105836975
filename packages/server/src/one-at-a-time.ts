import { type AppContext, perServer } from "./context.ts";

const queues = perServer(() => new Map<string, Promise<unknown>>());

/** Serializes acts with the same key on this node; the database decides between nodes. */
export async function oneAtATime<T>(ctx: AppContext, key: string, act: () => Promise<T>): Promise<T> {
  const waiting = queues(ctx);
  const before = waiting.get(key);
  const run = before === undefined ? act() : before.then(act, act);
  waiting.set(key, run);
  try {
    return await run;
  } finally {
    if (waiting.get(key) === run) waiting.delete(key);
  }
}
