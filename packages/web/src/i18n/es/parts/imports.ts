import type { EN_IMPORTS } from "../../en/parts/imports.ts";
import type { PartialTexts } from "../../texts.ts";
import { plural } from "../numbers.ts";

/** Spanish texts of imports. */
export const ES_IMPORTS: PartialTexts<typeof EN_IMPORTS> = {
  claim: {
    title: "Reclama tu cuenta",
    hint: "Tu equipo se mudó aquí desde otro chat y trajo tu cuenta. Cuando la hayas reclamado, nadie más podrá hacerlo.",
    account: "Cuenta",
    channels: "Canales",
    more: (count) => `y ${count} más`,
    password: "Contraseña",
    submit: "Reclamar la cuenta",
    orPassword: "o con una contraseña",
    noWay: "Aquí no puedes entrar con una contraseña, y no hay otra forma configurada. Pregunta a un administrador.",
  },
  notClaimed: "Aún no ha reclamado esta cuenta",
  none: "No se ha importado nada. La guía del servidor explica cómo traer a un equipo desde otro chat.",
  statuses: {
    writing: "En curso",
    closed: "Aún sin abrir",
    done: "Abierta",
    undoing: "Deshaciéndose",
    undone: "Deshecha",
  },
  progress: (percent) => `${percent} % de los mensajes escritos`,
  began: (time) => `empezó el ${time}`,
  opened: (time) => `abierta el ${time}`,
  wasUndone: (time) => `deshecha el ${time}`,
  kinds: {
    users: "Personas",
    agents: "Agentes",
    channels: "Canales",
    messages: "Mensajes",
    replies: "Respuestas",
    reactions: "Reacciones",
    pins: "Mensajes fijados",
    files: "Archivos",
    mentions: "Menciones",
  },
  tallies: {
    taken: (count) => `tomados: ${count}`,
    known: (count) => `ya conocidos: ${count}`,
    changed: (count) => `cambiados: ${count}`,
    left_out: (count) => `omitidos: ${count}`,
  },
  countsOf: (workspace) => `Recuento de ${workspace}`,
  people: (claimed, all) => `${claimed} de ${plural(all, "persona ha", "personas han")} reclamado su cuenta.`,
  waiting: "Cuentas aún sin reclamar",
  linkHint: "En la máquina del servidor, parley import links imprime un enlace para cada persona.",
  whose: "Importación",
  all: "Todas las importaciones",
  everybody: "Todos han reclamado su cuenta.",
  suspended: "suspendida",
  linkUntil: (time) => `tiene un enlace hasta el ${time}`,
  noLink: "sin enlace",
};
