import type { EN_MAIL } from "../../en/parts/mail.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts of mails. */
export const ES_MAIL: PartialTexts<typeof EN_MAIL> = {
  title: "Correo",
  off: "Este servidor no envía correos.",
  states: {
    none: "Tu cuenta no tiene dirección de correo. Introdúcela en «Cuenta».",
    unconfirmed: (address) => `Aún no has confirmado ${address}, así que no se envía nada allí.`,
    confirmed: (address) => `Los correos van a ${address}.`,
    refused: (address) =>
      `El servidor de correo de ${address} rechazó varios correos, así que ya no se envía nada allí. Confirma la dirección de nuevo o introduce otra en «Cuenta».`,
  },
  sendLink: "Enviar la confirmación",
  linkSent: "Un correo con un enlace está en camino. Abre el enlace para confirmar la dirección.",
  digest: "Correos sobre mensajes sin leer",
  digests: { off: "Nunca", away: "Cuando no estoy", daily: "Una vez al día, por la mañana" },
  digestHint:
    "Con los mensajes directos y menciones sin leer: como mucho un correo cada cuatro horas, si llevas media hora sin estar aquí. Se respetan las horas de silencio.",
  previews: "Incluir el texto de los mensajes",
  previewsHint:
    "Si no, los correos solo dicen quién escribió y dónde. Nunca se incluye el texto de canales que borran mensajes o tienen precio.",
  confirm: {
    title: "Confirma tu dirección de correo",
    hint: "Con una dirección confirmada puedes elegir una contraseña nueva por correo y recibir correos sobre mensajes sin leer.",
    submit: "Confirmar la dirección",
    done: (address, name) => `${address} queda confirmada para ${name}.`,
  },
  forgot: {
    ask: "¿Has olvidado tu contraseña?",
    title: "Elegir una contraseña nueva",
    hint: "Introduce tu nombre de usuario o la dirección de correo que confirmaste. Recibirás un correo con un enlace.",
    account: "Nombre de usuario o dirección de correo",
    submit: "Enviar el correo",
    sent: "Si existe esa cuenta y tiene una dirección confirmada, un correo está en camino. Su enlace funciona durante una hora. Si no llega ninguno, pregunta a un administrador.",
    back: "Volver al inicio de sesión",
  },
  invite: {
    title: "Invitar por correo",
    address: "Dirección de correo",
    days: "El enlace funciona durante",
    submit: "Enviar la invitación",
    sent: (address) => `Una invitación para ${address} está en camino.`,
  },
  stuck: (count, time) =>
    `${count} ${count === 1 ? "correo espera" : "correos esperan"}; el más antiguo debía salir desde ${time}.`,
  reason: (reason) => `Última respuesta del servidor de correo: ${reason}`,
  failed: (count) =>
    `${count} ${count === 1 ? "correo no pudo" : "correos no pudieron"} entregarse en las últimas 24 horas.`,
};
