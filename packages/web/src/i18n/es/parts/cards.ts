import type { EN_CARDS } from "../../en/parts/cards.ts";
import type { PartialTexts } from "../../texts.ts";
import { plural } from "../numbers.ts";

/** Spanish texts of cards. */
export const ES_CARDS: PartialTexts<typeof EN_CARDS> = {
  confirmTitle: "Confirma, por favor",
  confirm: "Confirmar",
  choose: "Elige…",
  send: "Enviar",
  people: ({ users = [], roles = [], min_admin_level: level, owner }) =>
    [
      ...users,
      ...(roles.includes("member") ? ["todos los miembros"] : []),
      ...(!roles.includes("member") && roles.includes("admin") ? ["los administradores del canal"] : []),
      ...(roles.length === 1 && roles.includes("owner") ? ["el propietario del canal"] : []),
      ...(level === undefined ? [] : ["el equipo de este sitio"]),
      ...(owner === true ? ["el propietario del agente"] : []),
    ].join(", "),
  asks: (people, until) => `Pregunta a ${people}, hasta el ${until}`,
  approvals: (count, quorum, names) =>
    `${count} de ${quorum} ${count === 1 ? "aprobación" : "aprobaciones"}${names.length === 0 ? "" : `: ${names.join(", ")}`}`,
  answers: (count) => plural(count, "respuesta", "respuestas"),
  tally: (label, count) => `${label}: ${count}`,
  mine: (label) => `Tu respuesta: ${label}`,
  receipt: {
    show: "Comprobante",
    about:
      "El servidor ha firmado cómo terminó esto. Guárdalo como prueba: se verifica con la clave pública del servidor.",
    none: "No hay comprobante: se borró la cuenta de alguien que aparecía en él.",
    save: "Guardar el comprobante",
    signed: "Texto firmado",
    signature: "Firma",
    key: "Clave",
  },
  errors: {
    not_allowed_to_answer: "Esta pregunta es para otras personas.",
    unknown_action: "Esta respuesta no existe.",
    interaction_not_found: "Esta pregunta ya no existe.",
    interaction_closed: "Esta pregunta ya se respondió o se retiró.",
    interaction_expired: "El plazo para responder ha terminado.",
  },
  menu: {
    answer: "Respuesta del bot",
    dismiss: "Aceptar",
    guest: "Inicia sesión para usar estos botones.",
    ended: "Estos botones ya no funcionan.",
    keyboard: (bot) => `Botones de ${bot}`,
    errors: {
      not_allowed_to_answer: "Estos botones son para los miembros del canal.",
      unknown_action: "El bot ha cambiado sus botones. Míralos de nuevo.",
      interaction_not_found: "Estos botones ya no existen.",
      interaction_closed: "Estos botones ya no existen.",
    },
  },
  refusals: {
    ended: "El plazo para responder ha terminado.",
    guest: "Inicia sesión para responder.",
    others: "No puedes responder: esta pregunta es para otras personas.",
    role: "No puedes responder: aquí solo deciden personas con un rol superior en el canal.",
  },
  rule: {
    member: "Solo deciden los miembros de este canal.",
    admin: "Solo deciden los administradores y el propietario de este canal.",
    owner: "Solo decide el propietario de este canal.",
  },
  result: (kind, { action_id, username }, label, time) => {
    if (kind !== "approval") return `${username} eligió ${label} · ${time}`;
    return action_id === "approve" ? `Aprobado · decidió ${username} · ${time}` : `Denegado por ${username} · ${time}`;
  },
  ended: (status, time) => (status === "expired" ? `Nadie decidió a tiempo · ${time}` : `Retirado · ${time}`),
};
