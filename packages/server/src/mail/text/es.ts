import type { MailTexts } from "./mail-texts.ts";

/** Mails in Spanish. */
export const ES_TEXTS: MailTexts = {
  confirm: {
    subject: (site) => `Confirma tu dirección para ${site}`,
    text: (name, site) => `La cuenta ${name} de ${site} ha indicado esta dirección. Si es tuya, confírmala.`,
    button: "Confirmar la dirección",
    hint: "El enlace sirve una vez, durante 24 horas. Si esta cuenta no es tuya, no hagas nada: sin el enlace nadie puede usar tu dirección.",
    footer: (site) =>
      `Recibes este correo porque alguien escribió esta dirección en ${site}. Las respuestas no se leen.`,
  },
  reset: {
    subject: (site) => `Elige una contraseña nueva para ${site}`,
    text: (name, site) => `Alguien pidió una contraseña nueva para tu cuenta ${name} en ${site}.`,
    button: "Elegir una contraseña nueva",
    hint: "El enlace sirve una vez, durante una hora. Si no lo pediste, no hagas nada: tu contraseña no cambia. No compartas el enlace con nadie.",
    footer: (site) => `Recibes este correo porque confirmaste esta dirección en ${site}. Las respuestas no se leen.`,
  },
  invitation: {
    subject: (site) => `Te invitan a ${site}`,
    text: (name, site) => `${name} te invita a ${site}.`,
    button: "Crear una cuenta",
    hint: (until) => `La invitación sirve hasta el ${until}. Si no la quieres, no hagas nada.`,
    footer: (site) =>
      `Recibes este correo porque un administrador de ${site} escribió esta dirección. Las respuestas no se leen.`,
  },
  security: {
    subject: (site) => `Un cambio en tu cuenta de ${site}`,
    notices: {
      password_changed: "Se cambió tu contraseña y tus otras sesiones han terminado.",
      reset_link_made: "Se creó un enlace con el que se puede elegir una contraseña nueva para tu cuenta.",
      level_changed: "Se cambió tu nivel en el sitio.",
      wallet_changed: "Se cambió la dirección de una cartera.",
      new_device: "Alguien inició sesión en tu cuenta con un navegador nuevo.",
      identity_linked: "Se vinculó a tu cuenta un acceso del inicio de sesión único.",
      identity_unlinked: "Se desvinculó de tu cuenta un acceso del inicio de sesión único.",
      second_factor_added: "Se añadió un segundo factor.",
      second_factor_removed: "Se quitó un segundo factor.",
      second_factor_failed: "Alguien escribió tu contraseña y después códigos incorrectos.",
      recovery_codes_made: "Se crearon códigos de recuperación nuevos; los anteriores ya no sirven.",
      recovery_code_used: "Se usó un código de recuperación para iniciar sesión.",
      email_changed: "Se indicó otro correo electrónico para tu cuenta. Esta dirección ya no le pertenece.",
    },
    facts: (account, at) => `Cuenta: ${account}\nHora: ${at}`,
    byAdministrator: "Lo hizo un administrador.",
    byOperator: "Lo hizo el operador del servidor.",
    from: (network) => `Desde la red ${network}.`,
    advice: "Si no fuiste tú, cambia tu contraseña ahora y pide ayuda a un administrador.",
    button: "Abrir mi cuenta",
    footer: (site) => `Recibes este correo porque confirmaste esta dirección en ${site}. Las respuestas no se leen.`,
  },
};
