import type { Config } from "../../config/config.ts";
import { OWNER } from "../../http/site-levels.ts";

/** True if PARLEY_PASSWORD_LOGIN lets this user log in with a password. */
export const mayUsePassword = (
  { passwordLogin }: Pick<Config, "passwordLogin">,
  user: { readonly admin_level: number | null },
): boolean => passwordLogin === "on" || (passwordLogin === "owners" && user.admin_level === OWNER);
