import type { EN_STICKERS } from "../../en/parts/stickers.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts of the window of stickers. */
export const ES_STICKERS: PartialTexts<typeof EN_STICKERS> = {
  noStickers: "Todavía no tienes stickers. Sube un GIF de hasta 512 KiB.",
  upload: "Subir un GIF",
  uploading: "Subiendo…",
  sendSticker: (name) => `Enviar el sticker ${name}`,
  removeSticker: (name) => `Eliminar el sticker ${name}`,
  removeSure: (name) => `Ya no podrás enviar ${name}. Los mensajes que ya lo muestran no cambiarán.`,
  remove: "Eliminar el sticker",
};
