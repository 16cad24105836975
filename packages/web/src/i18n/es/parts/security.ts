import type { EN_SECURITY } from "../../en/parts/security.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts of security notices. */
export const ES_SECURITY: PartialTexts<typeof EN_SECURITY> = {
  dismiss: "Descartar",
  more: (count) => `y ${count} más`,
  by: (name) => `por el administrador ${name}`,
  byOperator: "por el operador del servidor",
  kinds: {
    password_changed: "Se cambió tu contraseña.",
    reset_link_made: "Se creó un enlace para elegir una contraseña nueva para tu cuenta.",
    account_claimed: "Se reclamó tu cuenta, que procede de otro chat.",
    email_changed: "Se cambió tu correo electrónico.",
    wallet_changed: "Se cambió una de tus direcciones de billetera.",
    wallet_proven: "Se verificó que una billetera es tuya.",
    level_changed: "Se cambió tu nivel en este sitio.",
    suspended: "Se suspendió tu cuenta.",
    suspension_ended: "Tu cuenta ya no está suspendida.",
    api_key_issued: "Se creó una clave nueva para uno de tus agentes.",
    agent_webhook: "Uno de tus agentes configuró un webhook.",
    webhook_disabled: "Se desactivó un webhook que creaste.",
    identity_linked: "Se añadió a tu cuenta un inicio de sesión del proveedor.",
    identity_unlinked: "Se quitó de tu cuenta un inicio de sesión del proveedor.",
    new_device: "Alguien inició sesión en tu cuenta desde un navegador nuevo.",
    second_factor_added: "Se añadió un segundo factor a tu cuenta.",
    second_factor_removed: "Se quitó un segundo factor de tu cuenta.",
    second_factor_failed: "Alguien escribió tu contraseña, pero no el código correcto. Cambia tu contraseña.",
    recovery_codes_made: "Se reemplazaron tus códigos de recuperación.",
    recovery_code_used: "Alguien inició sesión con uno de tus códigos de recuperación.",
  },
};
