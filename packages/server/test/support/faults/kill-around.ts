import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { ChildServer } from "../servers/child-server.ts";

/**
 * Kills the server with SIGKILL, `ms` milliseconds after `act` was begun. Fractions count: it waits without a timer.
 * Returns what `act` returned, or null if the kill ended it. The server is down afterwards.
 */
export async function killDuring<T>(server: ChildServer, ms: number, act: () => Promise<T>): Promise<T | null> {
  const moment = performance.now() + ms;
  const acting = act().catch(() => null);
  while (performance.now() < moment) await new Promise(setImmediate);
  await server.end("SIGKILL");
  return await acting;
}

/** As `killDuring`, and starts the server again. */
export async function killAround<T>(server: ChildServer, ms: number, act: () => Promise<T>): Promise<T | null> {
  const answer = await killDuring(server, ms, act);
  await server.start();
  return answer;
}

/**
 * Moves times in the SQLite database of a server that is down into the past, as if it had been down for that much
 * longer. `columns` lists the columns by table.
 */
export function stayDown(dataDir: string, ms: number, columns: Record<string, readonly string[]>): void {
  using database = new Database(join(dataDir, "parley.sqlite"));
  for (const [table, names] of Object.entries(columns)) {
    const changes = names.map((name) => `${name} = ${name} - ${ms}`);
    database.run(`update ${table} set ${changes.join(", ")}`);
  }
}
