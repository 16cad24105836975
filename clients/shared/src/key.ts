import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { AgentClient, ParleyError } from "@parley/sdk";
import { Ending } from "./ending.ts";
import { sha256 } from "./permission-text.ts";

export interface StoredKey {
  url: string;
  apiKey: string;
  /** The file that has the key. */
  file: string;
}

/** Returns the key of a file. Others on the machine must not be able to read it. */
export function readKeyFile(file: string): string {
  let key: string;
  try {
    const { mode } = statSync(file);
    if (process.platform !== "win32" && (mode & 0o077) !== 0)
      throw new Ending(`Other users of this machine can read ${file}: run chmod 600 ${file} first.`);
    key = readFileSync(file, "utf8").trim();
  } catch (error) {
    if (error instanceof Ending) throw error;
    throw new Ending(`The key file ${file} cannot be read.`);
  }
  if (!/^\S{8,}$/.test(key)) throw new Ending(`The key file ${file} holds no key.`);
  return key;
}

/**
 * Exchanges a setup code for its key and stores it, in `file` or below the user's folder. The file is named after the
 * code, so that the same line starts the program again when the code is used.
 */
export async function claimKey(
  setupUrl: string,
  file: string | undefined,
  say: (line: string) => void,
): Promise<StoredKey> {
  const { url, code } = addressOf(setupUrl);
  const host = new URL(url).host.replace(/[^\w.-]/g, "_");
  const place = file ?? join(homedir(), ".parley", `${host}-${sha256(code).slice(0, 12)}.key`);
  if (existsSync(place) && statSync(place).size > 0) return { url, apiKey: readKeyFile(place), file: place };
  // An empty file is left from a run that was killed.
  rmSync(place, { force: true });
  mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
  try {
    const { key } = await AgentClient.setup(setupUrl, { keyFile: place });
    chmodSync(place, 0o600);
    say(`The key is in ${place}. Nobody else on this machine can read it.`);
    return { url, apiKey: key.api_key, file: place };
  } catch (error) {
    if (error instanceof ParleyError) throw new Ending(`${error.message} Ask the agent's owner for another code.`);
    throw error;
  }
}

function addressOf(setupUrl: string): { url: string; code: string } {
  try {
    const { origin, pathname, hash } = new URL(setupUrl);
    const prefix = pathname.replace(/\/setup\/?$/, "");
    if (prefix === pathname || hash.length < 2 || !/^https?:$/.test(new URL(origin).protocol)) throw new TypeError();
    return { url: origin + prefix, code: normalCode(hash.slice(1)) };
  } catch {
    throw new Ending("--code takes the address of a setup code: https://…/setup#XXXX-XXXX-XXXX");
  }
}

/** Case and hyphens of a code do not matter. */
const normalCode = (code: string): string => decodeURIComponent(code).replace(/[\s-]/g, "").toUpperCase();
