import type { EN_SILENCE } from "../../en/parts/silence.ts";
import type { PartialTexts } from "../../texts.ts";
import { plural } from "../numbers.ts";

/** Spanish texts about agents that cannot answer. */
export const ES_SILENCE: PartialTexts<typeof EN_SILENCE> = {
  label: "Agentes que no pueden responder",
  loopGuard: (names, until) =>
    `Sin respuesta de ${names}: aquí los agentes han enviado demasiados mensajes seguidos. Termina con un mensaje de una persona o, a más tardar: ${until}.`,
  budget: (names, until) => `Sin respuesta de ${names} hasta ${until}: se ha agotado un presupuesto.`,
  paused: (names) => `Sin respuesta de ${names}: en pausa.`,
  away: (names, since) =>
    since === ""
      ? `Sin respuesta de ${names}: sin conexión.`
      : `Sin respuesta de ${names}: sin conexión desde ${since}.`,
  waiting: (count) => plural(count, "mensaje espera respuesta.", "mensajes esperan respuesta."),
  left: (budget, left, limit) => `${budget}: quedan ${left} de ${limit} hoy.`,
  budgets: {
    messages_per_day: "Mensajes por día",
    characters_per_day: "Caracteres por día",
    cards_per_day: "Tarjetas por día",
    cost_per_day: "Costes comunicados por día",
    payments_per_day: "Pagos por día",
    payment_max: "Pago máximo",
  },
  more: (count) => `y ${count} más`,
  letGoOn: "Dejar que los agentes sigan",
  changeBudgets: "Cambiar sus presupuestos",
  open: "Abrir el agente",
};
