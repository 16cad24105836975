import type { EN_PINS } from "../../en/parts/pins.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts of the list of pins. */
export const ES_PINS: PartialTexts<typeof EN_PINS> = {
  pinnedBy: (name) => `Fijado por ${name}`,
  noPins: "Todavía no hay mensajes fijados.",
};
