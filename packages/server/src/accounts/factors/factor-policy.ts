import type { Config } from "../../config/config.ts";

/** True if a user of this level must have a second factor (PARLEY_REQUIRE_2FA). */
export function requiresFactor({ requireSecondFactor }: Config, adminLevel: number | null): boolean {
  return requireSecondFactor === "all" || (requireSecondFactor === "staff" && adminLevel !== null);
}
