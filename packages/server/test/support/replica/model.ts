import type { Database } from "bun:sqlite";
import { Random } from "../faults/random.ts";

const ROWS = 400;
/** Now and then a transaction that SQLite writes in several parts. */
const LARGE_EACH = 61;

export type Change = { id: number; value: string | null };

/** Returns what transaction `k` changes: the same each time. */
export function changesOf(k: number): Change[] {
  const random = new Random(k);
  const count = k % LARGE_EACH === 0 ? ROWS : 1 + random.below(6);
  return Array.from({ length: count }, () => {
    const id = random.below(ROWS);
    return { id, value: random.below(10) === 0 ? null : `${k}:${id}:`.padEnd(random.below(5_000), String(k % 10)) };
  });
}

/** Returns the number of the transaction after which the database is; throws unless it is exactly that one. */
export function stepOf(database: Database): number {
  const damage = database.query("pragma integrity_check").get();
  if (JSON.stringify(damage) !== '{"integrity_check":"ok"}') throw new Error(`damaged: ${JSON.stringify(damage)}`);
  const k = database.query<{ k: number }, []>("select max(k) as k from model_step").get()?.k ?? 0;
  const rows = new Map<number, string>();
  for (let step = 1; step <= k; step += 1) {
    for (const { id, value } of changesOf(step)) {
      if (value === null) rows.delete(id);
      else rows.set(id, value);
    }
  }
  const found = database.query<{ id: number; value: string }, []>("select id, value from model").all();
  if (found.length !== rows.size) throw new Error(`after ${k}: ${found.length} rows instead of ${rows.size}`);
  for (const { id, value } of found) if (rows.get(id) !== value) throw new Error(`after ${k}: row ${id} is wrong`);
  return k;
}
