import { homedir } from "node:os";
import { join } from "node:path";
import { Ending } from "../../shared/src/ending.ts";
import { readKeyFile, type StoredKey } from "../../shared/src/key.ts";
import { sha256 } from "../../shared/src/permission-text.ts";

/** What Claude Code gives to the program, in its environment. */
export interface Settings {
  key: StoredKey;
  name: string | undefined;
  /** People besides the owner whose messages reach the session, in lower case. */
  people: ReadonlySet<string>;
  /** Where the lock and the receipts are. */
  folder: string;
}

export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const { PARLEY_URL: url, PARLEY_KEY: plain, PARLEY_KEY_FILE: keyFile, PARLEY_NAME: name, PARLEY_ALLOW: allow } = env;
  if (url === undefined || !/^https?:\/\//.test(url))
    throw new Ending("Set PARLEY_URL to the address of the server.", 2);
  if (plain === undefined && keyFile === undefined) throw new Ending("Set PARLEY_KEY_FILE, or PARLEY_KEY.", 2);
  const apiKey = plain ?? readKeyFile(keyFile ?? "");
  const names = (allow ?? "").split(",").map((each) => each.trim().replace(/^@/, "").toLowerCase());
  return {
    key: { url: url.replace(/\/+$/, ""), apiKey, file: keyFile ?? "" },
    name,
    people: new Set(names.filter((each) => each !== "")),
    // One folder for each key, whatever file it was read from.
    folder: join(homedir(), ".parley", `claude-${sha256(apiKey).slice(0, 12)}`),
  };
}
