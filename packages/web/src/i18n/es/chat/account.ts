import type { EN_ACCOUNT } from "../../en/chat/account.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts of logging in and of the account menu. */
export const ES_ACCOUNT: PartialTexts<typeof EN_ACCOUNT> = {
  logIn: "Iniciar sesión",
  logOut: "Cerrar sesión",
  profile: "Tu perfil",
  agents: "Tus agentes",
  administration: "Administración",
  register: "Crear una cuenta",
  username: "Nombre de usuario",
  password: "Contraseña",
  email: "Correo electrónico (opcional)",
  invite: "Código de invitación (opcional)",
  invitePeople: "Invitar a gente",
  required: "Inicia sesión para leer y escribir mensajes.",
  guest: "Visitante",
  guestHint: "Estás de visita.",
  menu: (name) => `Menú de la cuenta de ${name}`,
  sessionOver: "Tu sesión ha terminado. Vuelve a iniciar sesión para escribir.",
  passwordHint: "Al menos 8 caracteres.",
  again: (provider) => `Volver a iniciar sesión con ${provider}`,
};
