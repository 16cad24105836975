import { type AppContext, perServer } from "../../context.ts";
import { intervalOf } from "../../timing.ts";
import { writeLastUse } from "./keys.store.ts";

/** Every call updates these times, so they are buffered here and written in batches. */
const FLUSH_MS = 5_000;
/** Stored to the second: calls of one second share one statement. */
const GRAIN_MS = 1_000;
const BATCH = 500;

interface LastUse {
  keys: Map<string, number>;
  agents: Map<number, number>;
  timer: ReturnType<typeof setTimeout> | null;
}

const lastUse = perServer((ctx): LastUse => {
  const use: LastUse = { keys: new Map(), agents: new Map(), timer: null };
  ctx.onClose(async () => {
    if (use.timer !== null) clearTimeout(use.timer);
    await flushLastUse(ctx);
  });
  return use;
});

/** Records that the key was used now. Runs no SQL. */
export function noteUse(ctx: AppContext, keyId: string, agentId: number): void {
  const use = lastUse(ctx);
  const now = ctx.clock.now();
  const at = now - (now % GRAIN_MS);
  use.keys.set(keyId, at);
  use.agents.set(agentId, at);
  if (use.timer !== null) return;
  use.timer = setTimeout(
    () => {
      use.timer = null;
      flushLastUse(ctx.root).catch((error: unknown) =>
        ctx.log.warn({ err: error }, "storing the last use of keys failed"),
      );
    },
    intervalOf(ctx, FLUSH_MS),
  );
  use.timer.unref();
}

/** Returns the time of the agent's last call if it is not written yet. */
export function unwrittenUse(ctx: AppContext, agentId: number): number | undefined {
  return lastUse(ctx).agents.get(agentId);
}

/** Writes the buffered times in a few statements, however many agents called. */
export async function flushLastUse(ctx: AppContext): Promise<void> {
  const use = lastUse(ctx);
  const keys = byTime(use.keys);
  const agents = byTime(use.agents);
  use.keys = new Map();
  use.agents = new Map();
  for (const [at, ids] of keys) for (const part of chunks(ids)) await writeLastUse(ctx.db, part, [], at);
  for (const [at, ids] of agents) for (const part of chunks(ids)) await writeLastUse(ctx.db, [], part, at);
}

function byTime<K>(times: Map<K, number>): Map<number, K[]> {
  const groups = new Map<number, K[]>();
  for (const [id, at] of times) {
    const group = groups.get(at);
    if (group === undefined) groups.set(at, [id]);
    else group.push(id);
  }
  return groups;
}

function* chunks<T>(list: readonly T[]): Generator<T[]> {
  for (let i = 0; i < list.length; i += BATCH) yield list.slice(i, i + BATCH);
}
