import { usernameOf } from "../../accounts/oidc/username.ts";
import { csvLine } from "../../base/csv.ts";
import type { SourceUser } from "../source.ts";

const HEADER = "source_id,source_name,email,username,action";

/**
 * Returns a username for each person, made of their handle; nobody has that of another. Names that are taken in Parley
 * already are known only when the import is written.
 */
export async function proposedNames(users: readonly SourceUser[]): Promise<Map<string, string>> {
  const [names, taken] = [new Map<string, string>(), new Map<string, number>()];
  for (const { id, kind, name } of users) {
    if (kind === "bot") continue;
    const base = await usernameOf(name);
    let [number, username] = [taken.get(base.toLowerCase()) ?? 0, base];
    do {
      number += 1;
      username = number === 1 ? base : `${base}-${number}`;
    } while (number > 1 && taken.has(username.toLowerCase()));
    taken.set(base.toLowerCase(), number);
    if (username !== base) taken.set(username.toLowerCase(), 1);
    names.set(id, username);
  }
  return names;
}

/** Returns the proposal for `--users`: a table that says what becomes of each person and bot. */
export function usersCsv(users: readonly SourceUser[], names: ReadonlyMap<string, string>): string {
  const rows = users.map(({ id, name, email, kind }) =>
    csvLine(id, name, email ?? "", names.get(id) ?? "", kind === "bot" ? "agent" : "new"),
  );
  return [HEADER, ...rows, ""].join("\n");
}
