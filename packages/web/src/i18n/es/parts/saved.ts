import type { EN_SAVED } from "../../en/parts/saved.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts of saved messages. */
export const ES_SAVED: PartialTexts<typeof EN_SAVED> = {
  title: "Mensajes guardados",
  save: "Guardar para después",
  unsave: "Quitar de los guardados",
  mark: "Guardado",
  none: "No has guardado ningún mensaje. Guarda uno desde su menú o con la tecla B.",
  unavailable: "Este mensaje se eliminó o ahora no puedes leerlo.",
  remove: "Quitar",
  removeOf: (sender) => `Quitar el mensaje de ${sender}`,
  removeUnavailable: "Quitar el mensaje que no se puede leer",
};
