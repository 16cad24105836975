import type { EN_SCHEDULED } from "../../en/parts/scheduled.ts";
import type { PartialTexts } from "../../texts.ts";
import { plural } from "../numbers.ts";

/** Spanish texts of messages that are sent later. */
export const ES_SCHEDULED: PartialTexts<typeof EN_SCHEDULED> = {
  later: "Enviar más tarde",
  inMinutes: (minutes) => `En ${plural(minutes, "minuto", "minutos")}`,
  inHours: (hours) => `En ${plural(hours, "hora", "horas")}`,
  tomorrow: (time) => `Mañana, ${time}`,
  monday: (time) => `El lunes, ${time}`,
  at: "A otra hora",
  schedule: "Programar",
  writeFirst: "Escribe primero un mensaje. Después elige cuándo se envía.",
  saved: (time) => `Se enviará: ${time}.`,
  title: "Mensajes programados",
  none: "No hay mensajes en espera.",
  in: (channel) => `en ${channel}`,
  goneChannel: "un canal que ya no existe",
  message: "Mensaje",
  change: "Cambiar",
  cancel: "Cancelarlo",
  save: "Guardar",
  keep: "Dejarlo como está",
  failed: "No enviado",
  failedTitle: "No se pudieron enviar",
  missed: "El servidor no pudo enviarlo en la hora siguiente a su momento.",
  files: (count) => plural(count, "archivo", "archivos"),
};
