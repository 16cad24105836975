import type { EN_CATCH_UP } from "../../en/parts/catch-up.ts";
import type { PartialTexts } from "../../texts.ts";
import { plural } from "../numbers.ts";

const many = (count: number, max: number): string => (count >= max ? `${max - 1}+` : String(count));

/** Spanish texts of Catch up. */
export const ES_CATCH_UP: PartialTexts<typeof EN_CATCH_UP> = {
  title: "Ponerse al día",
  unreadFrom: "Sin leer desde aquí",
  guest: "Inicia sesión para ver lo que no has leído.",
  failed: "No se pudo cargar todo.",
  none: "Estás al día.",
  noneHint: "Aquí aparecen los mensajes nuevos, las menciones, los hilos y las tarjetas.",
  keys: "j y k mueven, Enter abre, e da por hecho, u deshace.",
  list: "Lo que te espera",
  kinds: { card: "Te espera", channel: "Canal", thread: "Hilo", mention: "Mención", session: "Agente" },
  unread: (count) => (count === 1 ? "1 nuevo" : `${many(count, 100)} nuevos`),
  mentions: (count) => plural(count, "mención", "menciones"),
  inChannel: (name) => `en ${name}`,
  more: (count) => `${count} más`,
  andMore: (count) => `${plural(count, "elemento más", "elementos más")} debajo de estos`,
  done: "Hecho",
  doneWith: (name) => `Marcar como hecho: ${name}`,
  isDone: (name) => `Hecho: ${name}`,
  allDone: "Todo está marcado como leído.",
  undo: "Deshacer",
  undone: (name) => `De vuelta: ${name}`,
  allRead: "Marcar todo como leído",
  states: {
    working: "está trabajando",
    waiting: "espera una respuesta",
    gone: "se ha ido",
    done: "ha terminado",
    failed: "ha fallado",
  },
  worked: (agent, state) => `${agent} ${state}`,
};
