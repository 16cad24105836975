import type { AppContext } from "../../context.ts";
import { commitsUnderWay } from "../../db/commits-under-way.ts";

/** The longest wait for what was being committed when a right ended (milliseconds). */
export const SETTLED_MS = 2_000;

/**
 * Resolves when the commits that are under way on this node are over, after 2 s at the latest. A transaction that commits
 * later has not made its last check yet.
 */
export async function settledCommits({ root }: AppContext): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, SETTLED_MS);
  await Promise.race([commitsUnderWay(root.db).settled(), promise]);
  clearTimeout(timer);
}
