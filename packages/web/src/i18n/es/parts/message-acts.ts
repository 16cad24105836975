import type { EN_MESSAGE_ACTS } from "../../en/parts/message-acts.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts of what is done with a message from its menu. */
export const ES_MESSAGE_ACTS: PartialTexts<typeof EN_MESSAGE_ACTS> = {
  deleteTitle: "¿Eliminar este mensaje?",
  deleteSure: "El texto desaparecerá para todos. En su lugar queda una nota de que el mensaje se eliminó.",
  copyText: "Copiar texto",
  textCopied: "Texto copiado.",
  reportReason: "¿Por qué lo denuncias?",
  reported: "Gracias. Un moderador lo revisará.",
};
