import type { EN_BUDGETS } from "../../en/windows/budgets.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts about budgets of agents. */
export const ES_BUDGETS: PartialTexts<typeof EN_BUDGETS> = {
  open: "Presupuestos y uso",
  title: (name) => `Presupuestos de ${name}`,
  hint: "Cuánto puede enviar, gastar y pagar este agente en un día. Los campos vacíos no ponen límite.",
  ceilingHint: "Topes de este agente, que su propietario no puede superar. Los campos vacíos no ponen límite.",
  resets: (time) => `El día termina el ${time}.`,
  none: "Todavía no hay límites.",
  left: "Queda hoy",
  of: (left, limit) => `quedan ${left} de ${limit}`,
  names: {
    messages_per_day: "Mensajes por día",
    characters_per_day: "Caracteres por día",
    cards_per_day: "Tarjetas por día",
    cost_per_day: "Costes comunicados por día",
    payments_per_day: "Pagos por día",
    payment_max: "Pago máximo",
  },
  currency: "Moneda de los costes",
  ceiling: (amount) => `Como máximo ${amount}`,
  zone: "Zona horaria del día",
  save: "Guardar",
  saved: "Guardado.",
  usage: "Uso de los últimos 30 días",
  usageHint:
    "Los tokens y los costes son los que comunica el agente. Solo se cuentan los mensajes enviados con un presupuesto o con un informe.",
  by: "Mostrar por",
  byChoices: { day: "Día", channel: "Canal" },
  columns: { place: "Día o canal", messages: "Mensajes", tokens: "Tokens", costs: "Costes" },
  unused: "Todavía nada.",
  limitKey: "Limitar esta clave",
  scopes: "La clave puede",
  scopeNames: {
    read: "Leer y buscar",
    send: "Enviar mensajes y archivos",
    react: "Reaccionar",
    cards: "Enviar tarjetas",
    pay: "Pagar",
    inbox: "Recibir menciones y mensajes directos",
  },
  keyChannels: "Solo en estos canales (opcional)",
  keyChannelsHint:
    "Los nombres que llevan sus enlaces, separados por comas. Para la clave no existe ningún otro canal.",
  expires: "Último día (opcional)",
  expiresHint: "Al terminar este día (UTC), la clave deja de funcionar.",
};
