import type { EN_ACTIVITY } from "../../en/parts/activity.ts";
import type { PartialTexts } from "../../texts.ts";
import { plural } from "../numbers.ts";

/** Spanish texts about what an agent did for a message. */
export const ES_ACTIVITY: PartialTexts<typeof EN_ACTIVITY> = {
  kinds: {
    read: (count) => plural(count, "lectura", "lecturas"),
    edit: (count) => plural(count, "edición", "ediciones"),
    run: (count) => plural(count, "comando", "comandos"),
    search: (count) => plural(count, "búsqueda", "búsquedas"),
    fetch: (count) => plural(count, "consulta", "consultas"),
    think: (count) => plural(count, "razonamiento", "razonamientos"),
    other: (count) => plural(count, "otro paso", "otros pasos"),
  },
  states: {
    running: "en curso",
    ok: "hecho",
    failed: "fallido",
    denied: "no permitido",
    unknown: "final no comunicado",
  },
  failed: (count) => (count === 1 ? "1 fallido" : `${count} fallidos`),
  denied: (count) => (count === 1 ? "1 no permitido" : `${count} no permitidos`),
  counts: (counts) => counts.join(", "),
  seconds: (seconds) => `${seconds} s`,
  steps: "Qué hizo el agente",
};
