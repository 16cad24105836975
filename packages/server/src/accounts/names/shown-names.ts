import type { NameProblem } from "@parley/protocol/error-details";
import type { Db } from "../../db/db.ts";
import { looksReserved, nameInTheWay, reservedDetails } from "./names.ts";

/** Characters that surround a name without changing how it is read: `[ann]`, `ann ✓`. */
const DECORATION = /[^\p{L}\p{N}\p{M} _.-]/gu;
const EDGES = /^[ _.-]+|[ _.-]+$/g;

/**
 * Checks a free text that is shown where names are, such as the name of a webhook: nobody may take it for a user or an
 * agent, or for one of the reserved names. It may look like no name that is held or retired (protocol §2), in any case,
 * also with signs or other spaces around and between its letters. Returns the details of the error, or null.
 */
export async function impersonation(db: Db, path: string, text: string): Promise<NameProblem[] | null> {
  for (const reading of readingsOf(text)) {
    if (looksReserved(reading)) return reservedDetails(path);
    const other = await nameInTheWay(db, reading);
    if (other !== null)
      return [{ path, rule: "looks_like", name: other, message: `looks like ${JSON.stringify(other)}` }];
  }
  return null;
}

/** Returns the ways in which a reader may take the text for a name. */
function readingsOf(text: string): Set<string> {
  // Other spaces may be too thin to see.
  const joined = text.replaceAll(/[^\S ]/g, "");
  const plain = [text, joined].flatMap((each) => {
    const compatible = each.normalize("NFKC");
    return [compatible, compatible.replaceAll(DECORATION, "")].map((name) => name.replaceAll(/ +/g, " ").trim());
  });
  const bare = plain.map((name) => name.replaceAll(EDGES, ""));
  // The key of looks maps `I` to `l`, but not `i`: a letter of another script may hide in either case.
  const all = [...plain, ...bare].flatMap((name) => [name, name.toLowerCase(), name.toUpperCase()]);
  return new Set(all.filter((name) => name !== ""));
}
