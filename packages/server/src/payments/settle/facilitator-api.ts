import type { Config } from "../../config/config.ts";
import type { Api } from "../../lookups/fetch-json.ts";

/** Returns the configured facilitator and the base path of its routes; null if there is none. */
export function apiOf({
  facilitatorUrl,
  facilitatorAuthorization,
}: Pick<Config, "facilitatorUrl" | "facilitatorAuthorization">): (Api & { readonly base: string }) | null {
  if (facilitatorUrl === null) return null;
  const { origin, pathname } = new URL(facilitatorUrl);
  const headers: Record<string, string> =
    facilitatorAuthorization === null ? {} : { authorization: facilitatorAuthorization };
  return { name: "x402 facilitator", origin, headers, base: pathname.replace(/\/$/, "") };
}
