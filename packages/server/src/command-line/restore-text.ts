import { counted } from "../base/counted.ts";
import type { Config } from "../config/config.ts";
import type { Overdue } from "../overdue.ts";
import { hasTreasury } from "../payouts/doctor.ts";
import type { Undone } from "../restoring/undone.ts";
import { programName } from "./program.ts";

const PAYOUTS = "Payouts are paused until you have compared them with the chain (/guide/payouts of this server).";
/** Entries of one kind that are printed; `--json` has all. */
const SHOWN = 20;

/** Returns what follows every restore. */
export function afterwards(config: Config, { isUndoneListed = false } = {}): string[] {
  return [
    ...(isUndoneListed
      ? []
      : ["Keys and passwords are those of the time of the backup: revoke again the keys that were revoked since."]),
    ...(hasTreasury(config) ? [`${PAYOUTS} Then run: ${programName()} payouts resume`] : []),
    `Start the server with: ${programName()} serve`,
  ];
}

/** Returns what was due and is not sent again, in words. */
export function linesOfOverdue(overdue: readonly Overdue[]): string[] {
  if (overdue.length === 0) return [];
  return [
    "Not sent again, because it was due before:",
    ...overdue.flatMap(({ what, count, examples }) => [
      `  ${counted(count, what)}`,
      ...examples.map((example) => `    ${example}`),
      ...(examples.length > 0 && count > examples.length && !what.endsWith("event")
        ? [`    and ${count - examples.length} more`]
        : []),
    ]),
  ];
}

/** Returns what a restore has undone, in words, with the commands that do it again. */
export function linesOfUndone(undone: readonly Undone[]): string[] {
  if (undone.length === 0) return ["No key, session, ban, password or account changed after that time."];
  const lines = ["Undone, because it was made after that time:"];
  for (const [, those] of Map.groupBy(undone, ({ kind }) => kind)) {
    // Every erasure and every key is a promise to somebody, so all of them are printed.
    const isPromise = those.some(({ kind }) => kind === "erasure" || kind === "key_revoked");
    const shown = isPromise ? those : those.slice(0, SHOWN);
    for (const { text, again } of shown) {
      lines.push(`  ${text}`);
      if (again !== null) lines.push(`    ${programName()} ${again.map(quoted).join(" ")}`);
    }
    if (those.length > shown.length)
      lines.push(`  and ${those.length - shown.length} more of this kind (--json lists all)`);
  }
  return lines;
}

/** Quotes a word for a shell. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
