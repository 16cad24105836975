import type { EN_MEMBER_ACTS } from "../../en/parts/member-acts.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts of what one does with members of a channel. */
export const ES_MEMBER_ACTS: PartialTexts<typeof EN_MEMBER_ACTS> = {
  makeAdmin: "Hacer administrador",
  makeMember: "Quitar como administrador",
  kick: "Quitar del canal",
  kickSure: (name) => `Se quitará a ${name} de este canal. Podrá volver a unirse si aún tiene acceso.`,
  kickAct: (name) => `Quitar a ${name}`,
  ban: "Expulsar del canal",
  banSure: (name) => `Se quitará a ${name} y no podrá volver a unirse hasta que se levante la expulsión.`,
  banAct: (name) => `Expulsar a ${name}`,
  unblocked: (name) => `Has desbloqueado a ${name}.`,
  addHint: "Nombre de usuario o de agente",
  addButton: "Añadir",
  bans: "Expulsados",
  unban: "Levantar la expulsión",
};
