import type { EN_POLLS } from "../../en/parts/polls.ts";
import { list } from "../../locale.ts";
import type { PartialTexts } from "../../texts.ts";
import { plural } from "../numbers.ts";

/** Spanish texts of polls. */
export const ES_POLLS: PartialTexts<typeof EN_POLLS> = {
  poll: "Encuesta",
  make: "Nueva encuesta",
  question: "Pregunta",
  options: "Opciones",
  option: (number) => `Opción ${number}`,
  addOption: "Añadir una opción",
  removeOption: (number) => `Quitar la opción ${number}`,
  multiple: "Se pueden elegir varias opciones",
  anonymous: "Anónima: nadie ve quién eligió qué",
  closes: "Se cierra",
  times: {
    "0": "Cuando alguien la cierre",
    "3600": "En una hora",
    "86400": "En un día",
    "259200": "En 3 días",
    "604800": "En una semana",
    "2592000": "En 30 días",
  },
  send: "Enviar la encuesta",
  vote: "Votar",
  changeVote: "Cambiar mi voto",
  withdraw: "Retirar mi voto",
  close: "Cerrar la encuesta",
  closeQuestion: "Nadie podrá votar más, y la encuesta no se podrá volver a abrir.",
  count: (count, share) => `${count} (${share} %)`,
  voters: (count) => (count === 0 ? "Nadie ha votado todavía" : plural(count, "persona votó", "personas votaron")),
  others: (count) => `y ${plural(count, "persona más", "personas más")}`,
  mine: (options) => `Tu voto: ${list("es", options)}.`,
  isMultiple: "varias opciones",
  isAnonymous: "anónima",
  isClosed: "cerrada",
  closesAt: (time) => `se cierra el ${time}`,
};
