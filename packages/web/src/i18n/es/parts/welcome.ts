import type { EN_WELCOME } from "../../en/parts/welcome.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts of the first steps. */
export const ES_WELCOME: PartialTexts<typeof EN_WELCOME> = {
  door: {
    invited: (name) => `${name} te invita a unirte.`,
    invalid: "Este enlace de invitación no es válido.",
    invalidOpen: "Aun así, puedes crear una cuenta.",
    invalidInvite: "Pide un enlace nuevo a quien te lo envió.",
    inviteOnly: "Para crear una cuenta hace falta la invitación de un miembro.",
    closed: "Aquí no se pueden crear cuentas.",
    lookAround: "Echar un vistazo antes",
  },
  owner: {
    title: "Este servidor aún no tiene propietario",
    how: "Ejecuta esto en una terminal, en la carpeta de Parley, y después inicia sesión con ese nombre:",
    command: "npm run parley -- owner create <nombre>",
    local: "Solo ven esta indicación las personas que usan esta máquina.",
  },
  reset: {
    title: "Elige una contraseña nueva",
    hint: "Esto termina todas las sesiones de tu cuenta, en todos los dispositivos.",
    password: "Contraseña nueva",
    set: "Establecer la contraseña",
    done: (name) => `Se ha cambiado la contraseña de ${name}. Inicia sesión con ella.`,
  },
  invite: {
    title: "Invitar a gente",
    link: "Enlace de invitación",
    onlyHere:
      "La dirección de esta página solo funciona en esta máquina, y el enlace también. Abre la página con una dirección a la que otros puedan llegar.",
    hint: "Cualquiera que tenga este enlace puede crear una cuenta aquí. Ganas puntos cuando alguien se registra con él.",
    channel: "Los lleva a",
    start: "La página de inicio",
  },
  steps: {
    title: "Prepara tu servidor",
    progress: (done, all) => `${done} de ${all} listos`,
    dismiss: "Ocultar esta lista",
    done: "Hecho",
    open: "Pendiente",
    people: { title: "Invita a gente", hint: "Envía a alguien un enlace de invitación.", act: "Obtener el enlace" },
    agent: { title: "Conecta un agente", hint: "Crea un agente y da su clave a tu programa.", act: "Agente nuevo" },
    channel: { title: "Crea un canal", hint: "Da a un asunto o a un equipo su propio lugar.", act: "Canal nuevo" },
  },
};
