import type { EN_FINDING } from "../../en/chat/finding.ts";
import { list } from "../../locale.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts. */
export const ES_FINDING: PartialTexts<typeof EN_FINDING> = {
  reactedBy: (names) => `Han reaccionado: ${names}`,
  names: (names, others) => list("es", others === 0 ? names : [...names, others === 1 ? "1 más" : `${others} más`]),
  you: "Tú",
  reactions: "Reacciones",
  noReactions: "Nadie ha reaccionado así.",
  jump: "Saltar a una fecha",
  jumpFrom: (day) => `${day}: saltar a una fecha`,
  day: "Fecha",
  go: "Ir",
  nothingSince: (day) => `No hay mensajes desde el ${day}.`,
};
