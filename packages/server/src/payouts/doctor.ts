import { counted } from "../base/counted.ts";
import { systemClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import type { Db } from "../db/db.ts";
import { type DatabaseFacts, isReadable } from "../db/inspect.ts";
import { readSnapshot } from "../db/snapshot.ts";
import type { Finding } from "../module.ts";
import { payoutFigures } from "./pause-payouts.ts";
import { countUnpaid } from "./payouts.store.ts";
import { readBooks } from "./reconcile/reconcile.ts";

const OLD_MS = 10 * 60_000;
const check = "payouts";
const found = (state: Finding["state"], text: string): Finding => ({ check, state, text });

/** True if this server pays on a chain. */
export function hasTreasury({ evmTreasuryKey, solanaTreasuryKey }: Config): boolean {
  return evmTreasuryKey !== null || solanaTreasuryKey !== null;
}

/** Checks that debts on chains are paid and that the ledger agrees with the payouts. */
export async function checkPayouts(config: Config, facts: DatabaseFacts | Error | null): Promise<Finding[]> {
  if (!isReadable(facts)) return [];
  const { books, figures } = await readSnapshot(config.database, systemClock, async (db) => ({
    books: await readBooks(db),
    figures: await payoutFigures(db, config),
  }));
  const { open, oldest, failed } = figures;
  // A server that pays nothing has nothing to compare after a restore, and one without value nothing to resume.
  const isIdle = config.value === "off" || (figures.halt === "restored" && !hasTreasury(config));
  const halt = open === 0 && isIdle ? null : figures.halt;
  const differences = books.flatMap(({ ledgerCurrency, problems }) =>
    problems.map((text) => `${ledgerCurrency}: ${text}`),
  );
  const age = oldest === null ? 0 : systemClock.now() - oldest;
  const findings: Finding[] = [];
  if (differences.length > 0) {
    findings.push(
      found("problem", `${differences.join("; ")}. Run: parley payouts stop, and see /guide/payouts of this server`),
    );
  }
  if (halt === "restored") {
    findings.push(
      found(
        "problem",
        "the database was restored: compare the payouts with the chain, then run: parley payouts resume",
      ),
    );
  } else if (halt !== null) {
    const how = halt === "off" ? "set PARLEY_PAYOUTS=on" : "run: parley payouts resume";
    findings.push(found("advice", `payouts are paused, and ${open} wait; to resume them, ${how}`));
  }
  if (failed > 0) findings.push(found("advice", `${failed} failed; see: parley payouts list --state failed`));
  if (halt === null && age > OLD_MS) {
    findings.push(
      found(
        "advice",
        `the oldest of ${open} has waited ${counted(Math.round(age / 60_000), "minute")}; see: parley payouts list --open`,
      ),
    );
  }
  return findings.length > 0 ? findings : [found("ok", open === 0 ? "nothing is owed" : `${open} are on their way`)];
}

/** Returns how many payouts are not paid, as unfinished work (`Module.openWork`). */
export async function unpaidPayouts(db: Db): Promise<string[]> {
  const unpaid = await countUnpaid(db);
  return unpaid === 0 ? [] : [`${counted(unpaid, "payout is", "payouts are")} unpaid`];
}
