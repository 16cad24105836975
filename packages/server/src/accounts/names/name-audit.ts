import type { Db } from "../../db/db.ts";
import { nameProblem } from "../../unicode/name-characters.ts";
import { lookAlikeKey } from "../../unicode/skeleton.ts";
import { allNames, namesWithSkeletons } from "./names.store.ts";
import { looksReserved } from "./names.ts";

/** Names that predate the current rules, and their problems. */
export interface NameAudit {
  names: number;
  problems: string[];
}

/**
 * Finds every name that could no longer be claimed: it looks like an older or reserved one, or has characters that are
 * not allowed.
 */
export async function auditNames(db: Db): Promise<NameAudit> {
  const names = await allNames(db);
  const younger = names.filter(({ skeleton }) => skeleton === null);
  const holders = await namesWithSkeletons(
    db,
    younger.map(({ name }) => lookAlikeKey(name)),
  );
  const older = new Map(holders.map(({ skeleton, name }) => [skeleton, name]));
  const problems = names.flatMap(({ kind, name, skeleton }) => {
    const what = `the ${kind} ${JSON.stringify(name)}`;
    const problem = nameProblem(name);
    if (problem !== null) return `${what}: a name ${problem.message}`;
    if (skeleton === null)
      return `${what} looks like ${JSON.stringify(older.get(lookAlikeKey(name)) ?? "an older name")}`;
    return looksReserved(name) ? `${what} looks like a reserved name` : [];
  });
  return { names: names.length, problems };
}
