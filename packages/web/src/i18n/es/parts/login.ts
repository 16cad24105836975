import type { EN_LOGIN } from "../../en/parts/login.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts of the window in which people log in and register. */
export const ES_LOGIN: PartialTexts<typeof EN_LOGIN> = {
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
};
