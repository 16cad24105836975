import type { EN_SERVER_EMOJI } from "../../en/parts/server-emoji.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts of the server's own emoji. */
export const ES_SERVER_EMOJI: PartialTexts<typeof EN_SERVER_EMOJI> = {
  title: "Emojis de este servidor",
  none: "Este servidor aún no tiene emojis propios.",
  manage: "Añadir o eliminar emojis",
  onlyAdministrators: "En este servidor solo los administradores añaden emojis.",
  picture: "Imagen",
  pictureHint:
    "PNG, JPEG, WebP o GIF. Un GIF tiene como máximo 256 KB y 256 × 256 píxeles; las demás imágenes se reducen.",
  name: "Nombre",
  nameHint: "Se escribe entre dos puntos. De 2 a 32 de los caracteres a-z, 0-9, _ y -.",
  preview: "La imagen tal como se verá",
  add: "Añadir el emoji",
  added: (text) => `Se ha añadido ${text}. Ya lo puede usar todo el mundo.`,
  delete: "Eliminar",
  deleteNamed: (text) => `Eliminar ${text}`,
  deleteQuestion: (text) => `Los mensajes y reacciones con ${text} mostrarán su nombre.`,
};
