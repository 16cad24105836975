import type { EN_THREADS } from "../../en/chat/threads.ts";
import type { PartialTexts } from "../../texts.ts";
import { plural } from "../numbers.ts";

/** Spanish texts of threads. */
export const ES_THREADS: PartialTexts<typeof EN_THREADS> = {
  title: "Hilo",
  list: "Hilos",
  reply: "Responder en un hilo",
  replyIn: (channel) => `Responder en el hilo de ${channel}`,
  placeholder: "Responder…",
  also: (channel) => `Enviar también a ${channel}`,
  sentToo: "también en el canal",
  replies: (count) => plural(count, "respuesta", "respuestas"),
  noReplies: "Todavía no hay respuestas",
  unread: (count) => (count === 1 ? "1 nueva" : `${count >= 100 ? "99+" : count} nuevas`),
  unreadThreads: (count) => `${count >= 100 ? "99+" : count} con respuestas nuevas`,
  lastReply: (time) => `Última respuesta: ${time}`,
  repliedInThread: "Respondió en un hilo",
  inThread: "en un hilo",
  follow: "Seguir el hilo",
  unfollow: "Dejar de seguir el hilo",
  followed: "Verás las respuestas nuevas en Hilos.",
  unfollowed: "Ya no sigues este hilo.",
  lock: "Cerrar el hilo a respuestas",
  unlock: "Reabrir el hilo",
  locked: "cerrado",
  lockedHint: "Este hilo está cerrado. Solo pueden responder los administradores del canal.",
  rootDeleted: "El primer mensaje se eliminó, así que ya nadie puede responder.",
  gone: "Este hilo no existe o no tienes acceso.",
  close: "Salir del hilo",
  none: "Aquí aparecen los hilos que sigues: los que empezaste, en los que respondiste o en los que te mencionaron.",
  guest: "Inicia sesión para seguir hilos.",
  failed: "No se pudieron cargar los hilos.",
  showMore: "Mostrar más hilos",
};
