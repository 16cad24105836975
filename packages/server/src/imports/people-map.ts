import { parse } from "csv-parse/sync";
import type { NamedAccount } from "../accounts/account-named.ts";
import type { SourceUser } from "./source.ts";
import type { PersonChoice } from "./write/people.ts";

/** The table of people (`--users`, protocol §14.0) is not understood. The message says which line, and what to do. */
export class PeopleMapError extends Error {}

/** The content of the table of people. */
export interface PeopleMap {
  readonly choices: ReadonlyMap<string, PersonChoice>;
  /** Those who are left out with all that they wrote. */
  readonly skipped: ReadonlySet<string>;
  /** The accounts that are used, by the people's ids in the source. */
  readonly used: ReadonlyMap<string, NamedAccount>;
}

/** Returns the account of a name; null if there is none. */
export type FindAccount = (
  username: string,
) => Promise<{ id: number; username: string; adminLevel: number | null } | null>;

interface Line {
  source_id: string;
  username: string;
  action: string;
}

const COLUMNS = ["source_id", "username", "action"] as const;

/**
 * Reads the table that `users.csv` proposes. No name or address leads to an account that is there: only the action `use`
 * does (protocol §14.5). Throws `PeopleMapError`.
 */
export async function readPeopleMap(text: string, findAccount: FindAccount): Promise<PeopleMap> {
  const [choices, skipped] = [new Map<string, PersonChoice>(), new Set<string>()];
  const used = new Map<string, NamedAccount>();
  for (const [at, { source_id, username, action }] of linesOf(text).entries()) {
    // The first line names the columns.
    const where = `Line ${at + 2} of the table of people`;
    if (source_id === "") throw new PeopleMapError(`${where} has no source_id.`);
    if (choices.has(source_id) || skipped.has(source_id))
      throw new PeopleMapError(`${where} names ${JSON.stringify(source_id)}, which a line before does, too.`);
    if (action === "new") choices.set(source_id, username === "" ? { action } : { action, username });
    else if (action === "agent") choices.set(source_id, { action });
    else if (action === "skip") skipped.add(source_id);
    else if (action === "use") {
      const account = username === "" ? null : await findAccount(username);
      if (account === null)
        throw new PeopleMapError(`${where} uses the account ${JSON.stringify(username)}, which does not exist.`);
      choices.set(source_id, { action, userId: account.id });
      used.set(source_id, account);
    } else throw new PeopleMapError(`${where} has the action ${JSON.stringify(action)}. Use new, use, agent or skip.`);
  }
  return { choices, skipped, used };
}

/**
 * Returns those whom the table names, and who are not in this part of the export: somebody may have mistyped. Throws
 * `PeopleMapError` if it gives a bot an account.
 */
export function strangersIn({ choices }: PeopleMap, people: readonly SourceUser[]): string[] {
  const kinds = new Map(people.map(({ id, kind }) => [id, kind]));
  for (const [id, { action }] of choices)
    if (kinds.get(id) === "bot" && action !== "agent")
      throw new PeopleMapError(
        `The table of people gives an account to ${JSON.stringify(id)}, which is a bot. Use agent or skip.`,
      );
  return [...choices.keys()].filter((id) => !kinds.has(id));
}

function linesOf(text: string): Line[] {
  let lines: Record<string, string>[];
  try {
    lines = parse(text, { columns: true, bom: true, trim: true, skip_empty_lines: true });
  } catch (error) {
    throw new PeopleMapError(`The table of people is no CSV: ${error instanceof Error ? error.message : error}.`);
  }
  return lines.map((line) => {
    const missing = COLUMNS.find((name) => line[name] === undefined);
    if (missing !== undefined)
      throw new PeopleMapError(`The table of people has no column ${missing}. Begin with the users.csv of --dry-run.`);
    return { source_id: line.source_id ?? "", username: line.username ?? "", action: line.action ?? "" };
  });
}
