import type { EN_LOGINS } from "../../en/parts/logins.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts of the login dialog and of linked logins. */
export const ES_LOGINS: PartialTexts<typeof EN_LOGINS> = {
  username: "Nombre de usuario",
  password: "Contraseña",
  email: "Correo electrónico (opcional)",
  invite: "Código de invitación (opcional)",
  inviteRequired: "Código de invitación",
  invitedBy: (name) => `${name} te ha invitado.`,
  newHere: "¿Es tu primera vez aquí?",
  forgot: "¿Olvidaste tu contraseña? Un administrador puede enviarte un enlace para elegir una nueva.",
  haveOne: "¿Ya tienes una cuenta?",
  welcome: "Te damos la bienvenida de nuevo",
  join: "Únete a la conversación",
  continueWith: (provider) => `Continuar con ${provider}`,
  orPassword: "o con una contraseña",
  ownersOnly: "Solo los propietarios del sitio pueden iniciar sesión con contraseña.",
  again: (provider) => `Volver a iniciar sesión con ${provider}`,
  logins: "Inicios de sesión vinculados",
  noLogins: "Tu cuenta no tiene inicios de sesión vinculados.",
  addLogin: (provider) => `Vincular un inicio de sesión de ${provider}`,
  removeLogin: "Quitar",
  removeLoginSure: "Ya no podrás iniciar sesión con él, y se cerrará la sesión en los otros navegadores que lo usaron.",
};
