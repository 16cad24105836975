import type { EN_INVITATIONS } from "../../en/parts/invitations.ts";
import type { PartialTexts } from "../../texts.ts";
import { plural } from "../numbers.ts";

/** Spanish texts of invitations. */
export const ES_INVITATIONS: PartialTexts<typeof EN_INVITATIONS> = {
  title: "Invitaciones con plazo",
  hint: "Cada una sirve durante unos días y para unas cuentas. Puedes revocarla antes.",
  all: "Invitaciones de todos los usuarios",
  days: "Sirve durante",
  dayChoices: { "1": "1 día", "7": "7 días", "30": "30 días", "90": "90 días" },
  uses: "Máximo de cuentas",
  make: "Crear una invitación",
  link: (code) => `Enlace de ${code}`,
  by: (name) => `de ${name}`,
  used: (uses, most) => `${uses} de ${plural(most, "cuenta", "cuentas")}`,
  until: (time) => `hasta el ${time}`,
  states: { open: "Vigente", revoked: "Revocada", used_up: "Agotada", expired: "Caducada" },
  revoke: "Revocar",
  none: "Todavía no hay invitaciones.",
};
