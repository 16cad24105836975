import type { EN_WRITING } from "../../en/parts/writing.ts";
import type { PartialTexts } from "../../texts.ts";
import { plural } from "../numbers.ts";

const listed = (names: readonly string[]): string => new Intl.ListFormat("es").format(names);

/** Spanish texts of what the composer offers and says, of drafts, and of messages that are long or were deleted. */
export const ES_WRITING: PartialTexts<typeof EN_WRITING> = {
  asFile: "Adjuntar como archivo",
  asCode: "Convertir en bloque de código",
  keep: "Dejarlo como texto",
  looksLikeCode: "Esto parece código.",
  draft: "Borrador",
  fileName: "mensaje.txt",
  here: (count) =>
    count === 0
      ? "Nadie más está conectado aquí."
      : `Avisa a ${plural(count, "persona conectada", "personas conectadas")} aquí.`,
  asMessages: (count) => `Enviar como ${plural(count, "mensaje", "mensajes")}`,
  notInChannel: (names) =>
    `${listed(names)} no ${names.length === 1 ? "está" : "están"} en este canal y no ${names.length === 1 ? "verá" : "verán"} esto.`,
  notInConversation: (names) =>
    `${listed(names)} no ${names.length === 1 ? "está" : "están"} en esta conversación y no ${names.length === 1 ? "verá" : "verán"} esto.`,
  banned: (names) =>
    `${listed(names)} ${names.length === 1 ? "tiene" : "tienen"} prohibido el acceso a este canal y no ${names.length === 1 ? "verá" : "verán"} esto.`,
  messageDeleted: "Mensaje eliminado.",
  undo: "Deshacer",
  showAll: "Mostrar todo",
  addToChannel: (name) => `Añadir a ${name} al canal`,
  added: (name) => `${name} ya está en el canal y puede leer esto.`,
};
