import type { EN_PREVIEWS } from "../../en/parts/previews.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts of previews of links. */
export const ES_PREVIEWS: PartialTexts<typeof EN_PREVIEWS> = {
  on: "Los enlaces de este mensaje tendrán vista previa.",
  off: "Los enlaces de este mensaje no tendrán vista previa.",
  leaveOut: "Quitarla",
  bringBack: "Mostrarla",
  remove: (host) => `Quitar para todos la vista previa de ${host}`,
};
