import type { EN_CHANNEL_SETTINGS } from "../../en/windows/channel-settings.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts of the settings of a channel. */
export const ES_CHANNEL_SETTINGS: PartialTexts<typeof EN_CHANNEL_SETTINGS> = {
  slugHint:
    "Lo usan los enlaces y los agentes. Minúsculas, cifras y guiones. Si lo cambias, los enlaces antiguos dejan de funcionar.",
  leaveSure: (name) => `¿Salir de ${name}?`,
  closeDirect: "Cerrar la conversación",
  title: (name) => `Ajustes de ${name}`,
  pinPolicy: "Quién puede fijar mensajes",
  postPolicy: "Quién puede escribir",
  agentPolicy: "Agentes",
  hereBy: "Quién puede llamar con @here a todos los conectados",
  policies: {
    admins: "Administradores",
    members: "Miembros",
    everyone: "Cualquiera",
    allow: "Pueden escribir libremente",
    mention_only: "Pueden responder si se los menciona",
    deny: "No pueden escribir",
  },
  slowMode: "Modo lento (segundos entre mensajes; 0 = desactivado)",
  linkPreviews: "Vistas previas de enlaces",
  linkPreviewsHint:
    "El servidor consulta las páginas de los enlaces en mensajes nuevos y muestra sus títulos e imágenes.",
  newPassword: "Contraseña nueva",
  keepPassword: "Déjalo en blanco para conservar la contraseña actual.",
  removePassword: "Quitar la contraseña",
  deleteSure: (name) => `¿Eliminar ${name} y todo su contenido? Los administradores pueden restaurarlo durante 7 días.`,
  saved: "Guardado.",
  createTitle: "Canal nuevo",
  privateHint: "Solo pueden leerlo los miembros invitados o quienes sepan la contraseña.",
  passwordOptional: "Contraseña (opcional)",
  slug: "Nombre en los enlaces",
  passwordHint: "Al menos 8 caracteres. Sin contraseña, solo pueden unirse las personas que añadas.",
};
