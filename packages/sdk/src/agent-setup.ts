import type { RedeemSetupCodeResponse } from "@parley/protocol/setup-codes";
import { Http } from "./http.ts";
import type { ClientOptions, RequestOptions } from "./request-options.ts";

export interface SetupOptions extends Omit<ClientOptions, "url" | "cookie" | "apiKey">, Pick<RequestOptions, "signal"> {
  /** The agent's name, if the code is for an agent that has none. */
  name?: string | undefined;
  /**
   * A file that must not exist yet. The key is written to it, and only its owner can read it (mode 0600). In Node.js,
   * Bun and Deno only.
   */
  keyFile?: string | undefined;
}

/** The result of exchanging a setup code. */
export interface AgentSetup<Agent> {
  agent: Agent;
  /** The key and its limits. It is shown only once. */
  key: RedeemSetupCodeResponse;
}

/** What is used of Node's module, whose types and code other places do not have. A bundler for browsers does not see it. */
interface FileSystem {
  open(
    path: string,
    flags: "wx",
    mode: number,
  ): Promise<{ writeFile(text: string): Promise<void>; close(): Promise<void> }>;
  rm(path: string, options: { force: true }): Promise<void>;
}
const FILE_SYSTEM: string = "node:fs/promises";

/** Returns the server and the code in the address of a setup code. Throws TypeError for another address. */
export function readSetupUrl(setupUrl: string): { url: string; code: string } {
  const { origin, pathname, hash } = new URL(setupUrl);
  const prefix = pathname.replace(/\/setup\/?$/, "");
  if (prefix === pathname || hash.length < 2) throw new TypeError("This is not the address of a setup code.");
  return { url: origin + prefix, code: decodeURIComponent(hash.slice(1)) };
}

/**
 * Exchanges a code for its key, once. The file is opened before the code is used, so that a key is never lost because it
 * cannot be stored.
 */
export async function redeemSetupCode(setupUrl: string, options: SetupOptions): Promise<RedeemSetupCodeResponse> {
  const { url, code } = readSetupUrl(setupUrl);
  const { keyFile, signal, ...clientOptions } = options;
  const http = new Http({ ...clientOptions, url });
  const redeem = () =>
    http.json<RedeemSetupCodeResponse>({ method: "POST", path: "/api/agenthub/setup", body: { code } }, { signal });
  if (keyFile === undefined) return redeem();
  const { open, rm }: FileSystem = await import(FILE_SYSTEM);
  const file = await open(keyFile, "wx", 0o600);
  let key: RedeemSetupCodeResponse | undefined;
  try {
    key = await redeem();
    await file.writeFile(`${key.api_key}\n`);
    return key;
  } finally {
    await file.close();
    if (key === undefined) await rm(keyFile, { force: true });
  }
}
