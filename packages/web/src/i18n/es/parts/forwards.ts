import type { EN_FORWARDS } from "../../en/parts/forwards.ts";
import type { PartialTexts } from "../../texts.ts";
import { plural } from "../numbers.ts";

/** Spanish texts of forwarded messages. */
export const ES_FORWARDS: PartialTexts<typeof EN_FORWARDS> = {
  forward: "Reenviar",
  title: "Reenviar un mensaje",
  target: "¿A qué canal o persona?",
  targets: "Canales y personas",
  to: (name) => `Para ${name}`,
  change: "Cambiar",
  results: (count) => plural(count, "resultado", "resultados"),
  nothing: "No se encontró nada.",
  chooseFirst: "Elige primero un canal o una persona.",
  comment: "Comentario (opcional)",
  preview: "Esto se reenvía",
  onlyLink:
    "Solo se reenvía un enlace, porque los mensajes de ese canal tienen un precio o se eliminan con el tiempo. Quien pueda leer el mensaje lo encontrará con el enlace.",
  done: (name) => `Reenviado a ${name}.`,
  from: (name) => `Reenviado de ${name}`,
  show: (channel) => `Mostrar en ${channel}`,
  hidden:
    "Se reenvió un mensaje que no puedes leer. Puede que se haya eliminado o que esté en un canal en el que no estás.",
};
