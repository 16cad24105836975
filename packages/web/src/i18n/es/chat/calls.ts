import type { EN_CALLS } from "../../en/chat/calls.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts. */
export const ES_CALLS: PartialTexts<typeof EN_CALLS> = {
  calls: {
    title: "Notificaciones",
    from: (sender, channel) => `${sender} en ${channel}`,
    newMessages: (count) => (count === 1 ? "Mensaje nuevo" : `${count} mensajes nuevos`),
    waiting: (count) => `${count >= 100 ? "99+" : count} para ti`,
    unreadList: (count) => `${count} sin leer`,
    pausedList: "en pausa",
    offer: "¿Quieres recibir una notificación cuando alguien te mencione o te escriba?",
    offerTitle: "Activar las notificaciones",
    turnOn: "Activar",
    notNow: "Ahora no",
    here: "Mostrar notificaciones en este navegador",
    denied:
      "Este navegador bloquea las notificaciones de este sitio. Permítelas en los ajustes del sitio, que se abren junto a la dirección, y vuelve.",
    unsupported: "Este navegador no puede mostrar notificaciones aquí. Necesitan una conexión segura (HTTPS).",
    showText: "Mostrar el texto de los mensajes",
    default: "Notificarme sobre",
    level: "Notificarme sobre",
    levels: { all: "Todos los mensajes", mentions: "Menciones y mensajes directos", none: "Nada" },
    shortLevels: { all: "Todo", mentions: "Menciones", none: "Nada" },
    asUsual: "Predeterminado",
    mute: "Silenciar canal",
    unmute: "Dejar de silenciar canal",
    muted: "silenciado",
  },
  sidebar: {
    options: "Opciones de la lista",
    actions: (channel) => `Opciones de ${channel}`,
    sorting: "Ordenar los canales por",
    sortings: { name: "Nombre", activity: "Último mensaje" },
    favourites: "Favoritos",
    addFavourite: "Añadir a favoritos",
    removeFavourite: "Quitar de favoritos",
    moveToSection: "Mover a una sección…",
    sectionTitle: (channel) => `Sección de ${channel}`,
    newSection: "Sección nueva",
    noSection: "Sin sección",
    create: "Crear",
    catchUp: "Ponerse al día",
    markRead: "Marcar como leído",
    unreadAbove: "Sin leer más arriba",
    unreadBelow: "Sin leer más abajo",
  },
};
