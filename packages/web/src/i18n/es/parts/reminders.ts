import type { EN_REMINDERS } from "../../en/parts/reminders.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts of reminders. */
export const ES_REMINDERS: PartialTexts<typeof EN_REMINDERS> = {
  remind: "Recordármelo…",
  note: "Nota (opcional)",
  noteHint: "Solo tú la ves.",
  when: "Cuándo",
  remindThen: "Recordármelo",
  saved: (time) => `Se te recordará: ${time}.`,
  title: "Recordatorios",
  none: "No hay recordatorios en espera.",
  lists: { waiting: "Recordatorios en espera", done: "Hechos", ended: "Terminados sin el mensaje" },
  said: (name, text) => `${name}: ${text}`,
  noText: "Un mensaje sin texto",
  gone: "Un mensaje que ya no puedes leer",
  in: (channel) => `en ${channel}`,
  change: "Cambiar",
  again: "Recordármelo otra vez",
  remove: "Eliminar",
  save: "Guardar",
  keep: "Dejarlo como está",
  scheduled: "Mensajes programados",
};
