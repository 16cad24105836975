import { chainsOf } from "../../chains/chains.ts";
import { duty } from "../../cluster/duties.ts";
import type { AppContext } from "../../context.ts";
import { readSnapshot } from "../../db/snapshot.ts";
import { AppError } from "../../errors.ts";
import { compareWithChain, readBooks } from "./reconcile.ts";

/** Milliseconds between runs; each reads all payouts ever made. */
const EVERY_MS = 60 * 60_000;

/**
 * Compares payouts, ledger and wallets every hour until the server stops, in a cluster on one node. Mismatches raise an
 * alarm in log and metrics.
 */
export function startReconcileJob(ctx: AppContext): void {
  let isLooking = false;
  const isOwn = duty(ctx, "compare payouts");
  const timer = setInterval(() => {
    if (!isOwn()) return ctx.metrics.payoutMismatchesAre(0);
    if (isLooking) return;
    isLooking = true;
    reconcile(ctx)
      .catch((error: unknown) => ctx.log.warn({ err: error }, "comparing payouts with the ledger failed"))
      .finally(() => {
        isLooking = false;
      });
  }, EVERY_MS);
  timer.unref();
  // Not a background job, because shutdown must not wait for a run: it may read millions of payouts and wait for silent
  // chains, while the server must exit within 10 s (protocol §10). A run has its own connection and writes nothing.
  ctx.onClose(() => clearInterval(timer));
}

/** Runs one comparison and returns the mismatches. A chain that is unavailable is skipped until the next run. */
export async function reconcile(ctx: AppContext): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const book of await readSnapshot(ctx.config.database, ctx.clock, readBooks)) {
    const found = [...book.problems, ...(await walletProblems(ctx, book))];
    problems.push(...found.map((text) => `${book.ledgerCurrency}: ${text}`));
  }
  ctx.metrics.payoutMismatchesAre(problems.length);
  if (problems.length > 0)
    ctx.log.error({ problems }, "payouts, ledger and wallets do not agree; stop payouts with: parley payouts stop");
  return problems;
}

async function walletProblems(ctx: AppContext, book: Awaited<ReturnType<typeof readBooks>>[number]): Promise<string[]> {
  const chain = chainsOf(ctx).find(book.chain, book.chainId);
  if (chain === null) return [];
  try {
    const problem = (await compareWithChain(chain, book))?.problem ?? null;
    return problem === null ? [] : [problem];
  } catch (error) {
    if (error instanceof AppError && error.code === "chain_unavailable") return [];
    throw error;
  }
}
