import type { EN_VOICE } from "../../en/parts/voice.ts";
import { localeOf } from "../../locale.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts of voice notes. */
export const ES_VOICE: PartialTexts<typeof EN_VOICE> = {
  record: "Nota de voz",
  asking: "Pidiendo el micrófono…",
  recording: "Grabando. Intro la envía, Escape la descarta.",
  stopped: "Escúchala antes de enviarla.",
  full: "Una nota de voz dura 15 minutos como máximo. Envíala o graba otra vez.",
  stop: "Parar y escuchar",
  again: "Grabar otra vez",
  send: "Enviar la nota de voz",
  sending: "Enviando…",
  tryAgain: "Reintentar",
  discardTitle: "¿Descartar la grabación?",
  discardText: "Nadie la ha oído y no se podrá recuperar.",
  discard: "Descartar",
  refused: "El servidor no acepta una grabación así.",
  cantListen: "Este navegador no puede reproducir lo que ha grabado. Puedes enviarlo.",
  refusals: {
    denied:
      "El navegador no permite que esta página use el micrófono. Permítelo en los ajustes del sitio e inténtalo de nuevo.",
    no_device: "No se encontró ningún micrófono. Conecta uno e inténtalo de nuevo.",
    insecure: "Este navegador solo graba en páginas servidas por https.",
    unsupported: "Este navegador no puede grabar sonido.",
    failed: "No se pudo abrir el micrófono. Quizá lo usa otro programa.",
  },
  fileName: "Nota de voz",
  noteOf: (length) => `Nota de voz, ${length}`,
  play: "Reproducir",
  pause: "Pausar",
  position: "Posición en la nota de voz",
  at: (position, length) => `${position} de ${length}`,
  speed: (times) => `Velocidad: ${times.toLocaleString(localeOf("es"))} veces`,
  times: (times) => `${times.toLocaleString(localeOf("es"))}×`,
  download: "Descargar",
  cantPlay: "Este navegador no puede reproducir esta nota de voz. Puedes descargarla.",
  transcript: "Transcripción",
  transcriptBy: (agent) => `Transcripción de ${agent}`,
  write: "Escribir una transcripción",
  change: "Cambiar la transcripción",
  words: "Lo que se dice",
  wordsHint: "Todos en el canal pueden leerla y encontrarla. Sin palabras no hay transcripción.",
  leaveTitle: "¿Cerrar sin guardar?",
  leaveText: "Lo que has escrito se perderá.",
  leave: "Cerrar igualmente",
};
