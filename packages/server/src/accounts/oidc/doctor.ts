import type { Config } from "../../config/config.ts";
import type { Finding } from "../../module.ts";
import { usualTiming } from "../../timing.ts";
import { readProvider } from "./provider.ts";

const check = "single sign-on";

/** Checks whether the identity provider in the settings answers, and as itself. Logs nobody in. */
export async function checkSingleSignOn(config: Config): Promise<Finding[]> {
  if (config.oidcIssuer === null) return [];
  try {
    await readProvider(config, usualTiming);
    return [{ check, state: "ok", text: `${config.oidcIssuer} answers with its addresses and keys` }];
  } catch (error) {
    const text = `nobody can log in by ${config.oidcIssuer}: ${(error as Error).message}; let this machine reach it, or correct PARLEY_OIDC_ISSUER`;
    return [{ check, state: "problem", text }];
  }
}
