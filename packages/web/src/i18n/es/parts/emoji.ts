import type { EN_EMOJI } from "../../en/parts/emoji.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts of the picker of emoji. */
export const ES_EMOJI: PartialTexts<typeof EN_EMOJI> = {
  search: "Buscar emojis",
  none: "No se encontraron emojis.",
  groups: "Grupos de emojis",
  group: {
    own: "Recientes y frecuentes",
    0: "Caras y emociones",
    1: "Personas y cuerpo",
    3: "Animales y naturaleza",
    4: "Comida y bebida",
    5: "Viajes y lugares",
    6: "Actividades",
    7: "Objetos",
    8: "Símbolos",
    9: "Banderas",
  },
  tone: "Tono de piel",
  tones: ["Predeterminado", "Claro", "Medio claro", "Medio", "Medio oscuro", "Oscuro"],
};
