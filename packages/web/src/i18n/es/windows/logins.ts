import type { EN_LOGINS } from "../../en/windows/logins.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts of logins by an identity provider that are linked to an account. */
export const ES_LOGINS: PartialTexts<typeof EN_LOGINS> = {
  logins: "Inicios de sesión vinculados",
  noLogins: "Tu cuenta no tiene inicios de sesión vinculados.",
  addLogin: (provider) => `Vincular un inicio de sesión de ${provider}`,
  removeLogin: "Quitar",
  removeLoginSure: "Ya no podrás iniciar sesión con él, y se cerrará la sesión en los otros navegadores que lo usaron.",
};
