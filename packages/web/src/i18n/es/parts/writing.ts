import type { EN_WRITING } from "../../en/parts/writing.ts";
import type { PartialTexts } from "../../texts.ts";
import { plural } from "../numbers.ts";

/** Spanish texts of what the composer offers while one writes. */
export const ES_WRITING: PartialTexts<typeof EN_WRITING> = {
  asFile: "Adjuntar como archivo",
  asCode: "Convertir en bloque de código",
  keep: "Dejarlo como texto",
  looksLikeCode: "Esto parece código.",
  draft: "Borrador",
  fileName: "mensaje.txt",
  asMessages: (count) => `Enviar como ${plural(count, "mensaje", "mensajes")}`,
};
