import type { EN_SHOWN } from "../../en/parts/shown.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts of display names and statuses. */
export const ES_SHOWN: PartialTexts<typeof EN_SHOWN> = {
  title: "Nombre y estado",
  displayName: "Nombre visible",
  displayNameHint: (username) =>
    `Tu nombre tal como lo leen los demás, en cualquier alfabeto. Las menciones y el inicio de sesión siguen usando «${username}».`,
  status: "Estado",
  statusText: "¿Qué estás haciendo?",
  emoji: "Elegir un emoji",
  noEmoji: "Quitar el emoji",
  ends: "Termina",
  end: {
    never: "Nunca",
    hour: "En 1 hora",
    hours: "En 4 horas",
    today: "Al final de hoy",
    week: "Al final de esta semana",
  },
  keep: (moment) => `Se queda: ${moment}`,
  until: (moment) => `hasta ${moment}`,
  save: "Guardar",
  clear: "Borrar el estado",
  saved: "Se han guardado tu nombre y tu estado.",
  remove: "Quitar el nombre visible y el estado",
  removeSure: (name) =>
    `Después, ${name} aparecerá con su nombre de usuario y sin estado. Esto queda en el registro de auditoría.`,
  removed: (name) => `Se han quitado el nombre visible y el estado de ${name}.`,
};
