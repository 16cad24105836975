import type { EN_NOTIFICATIONS } from "../en/notifications.ts";
import type { PartialTexts } from "../texts.ts";

const inside = (channel: string): string => (channel === "" ? "" : ` en ${channel}`);

/** Spanish texts. */
export const ES_NOTIFICATIONS: PartialTexts<typeof EN_NOTIFICATIONS> = {
  mention: (sender, channel) => `${sender} te ha mencionado en ${channel}`,
  direct: (sender) => sender,
  thread_reply: (sender, channel) => `${sender} ha respondido en un hilo de ${channel}`,
  reaction: (sender, channel) => `${sender} ha reaccionado a tu mensaje en ${channel}`,
  card: (sender, channel) => `${sender} te pregunta en ${channel}`,
  reminder: (sender, channel) => `Recordatorio: ${sender}${inside(channel)}`,
  message: (sender, channel) => `${sender} en ${channel}`,
  notices: {
    security: () => "Ha cambiado la seguridad de tu cuenta",
    message_reported: () => "Se ha denunciado un mensaje",
    report_decided: (channel) => `Los moderadores han resuelto tu denuncia${inside(channel)}`,
    role_changed: (channel) => `Tienes un rol nuevo${inside(channel)}`,
    muted: (channel) => `Te han silenciado${inside(channel)}`,
    removed: (channel) => `Te han quitado de ${channel === "" ? "un canal" : channel}`,
    banned: (channel) => `Te han expulsado de ${channel === "" ? "un canal" : channel}`,
    channel_deleted: (channel) => `Se ha eliminado tu canal ${channel}`,
    channel_restored: (channel) => `Se ha restaurado tu canal ${channel}`,
    packet_refunded: (channel) => `Se te ha devuelto tu sobre rojo${inside(channel)}`,
    agent_paused: (agent) => `Tu agente ${agent} está en pausa`,
    agent_resumed: (agent) => `Tu agente ${agent} se ha reanudado`,
    agent_key_revoked: (agent) => `Se ha revocado una clave de tu agente ${agent}`,
    setup_code_claimed: (agent) => `Tu agente ${agent} ha obtenido una clave con un código de configuración`,
    agent_budget_low: (agent) => `Tu agente ${agent} ha gastado el 80 por ciento de un presupuesto`,
    agent_budget_exhausted: (agent) => `Tu agente ${agent} ha agotado un presupuesto`,
    agent_loop_guard: (agent) =>
      `Se ha detenido a tu agente ${agent}: los agentes enviaron demasiados mensajes seguidos`,
    agent_away: (agent) => `Tu agente ${agent} ya no está conectado`,
    scheduled_failed: (channel) => `No se pudo enviar tu mensaje programado${inside(channel)}`,
    reminder_ended: () => "Un recordatorio terminó: ya no puedes leer su mensaje",
    hook_disabled: (hook) => `Se ha desactivado el webhook ${hook}`,
  },
  notice: "Un aviso para ti",
  reportStates: { resolved: "Se tomaron medidas.", dismissed: "No se tomaron medidas." },
  roles: {
    owner: "Ahora es de tu propiedad.",
    admin: "Ahora eres administrador.",
    member: "Ahora eres miembro.",
  },
  until: (time) => `Hasta el ${time}`,
  forGood: "Hasta que alguien lo levante",
  points: (count) => (count === "1" ? "1 punto" : `${count} puntos`),
  somebody: "Alguien",
  newMessage: "Mensaje nuevo",
  news: "Hay novedades para ti",
};
