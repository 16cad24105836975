import { Checker } from "../check.ts";
import type { Line } from "../lines.ts";
import type { Kind } from "../problems.ts";

/** The kinds of problems that a history has. */
export function problemsOf(lines: readonly (Line | string)[]): Kind[] {
  const checker = new Checker();
  for (const line of lines) checker.take(typeof line === "string" ? line : JSON.stringify(line));
  return [...checker.conclude().problems.counts.keys()].toSorted();
}
