import { systemClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import type { Db } from "../db/db.ts";
import { type DatabaseFacts, isReadable } from "../db/inspect.ts";
import { readSnapshot } from "../db/snapshot.ts";
import type { Finding } from "../module.ts";
import { usualTiming } from "../timing.ts";
import { nameProblem } from "../unicode/name-characters.ts";
import { lookAlikeKey } from "../unicode/skeleton.ts";
import { allNames, namesWithSkeletons } from "./names/names.store.ts";
import { looksReserved } from "./names/names.ts";
import { readProvider } from "./oidc/provider.ts";

const SHOWN_MAX = 10;
const check = "names";

/** Lists names that predate the current rules and could be mistaken for others. Skips a database of another schema. */
export async function checkNames({ database }: Config, facts: DatabaseFacts | Error | null): Promise<Finding[]> {
  if (!isReadable(facts)) return [];
  const { names, problems } = await readSnapshot(database, systemClock, auditNames);
  if (problems.length === 0) return [{ check, state: "ok", text: `${names} names, and no two of them look alike` }];
  const more = problems.length > SHOWN_MAX ? ` (and ${problems.length - SHOWN_MAX} more)` : "";
  const text = `${problems.slice(0, SHOWN_MAX).join("; ")}${more}. Their owners keep them; check whether one of them impersonates somebody else`;
  return [{ check, state: "advice", text }];
}

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

/** Checks whether the identity provider in the settings answers, and as itself. Logs nobody in. */
export async function checkSingleSignOn(config: Config): Promise<Finding[]> {
  if (config.oidcIssuer === null) return [];
  try {
    await readProvider(config, usualTiming);
    return [{ check: "single sign-on", state: "ok", text: `${config.oidcIssuer} answers with its addresses and keys` }];
  } catch (error) {
    const text = `nobody can log in by ${config.oidcIssuer}: ${(error as Error).message}; let this machine reach it, or correct PARLEY_OIDC_ISSUER`;
    return [{ check: "single sign-on", state: "problem", text }];
  }
}
