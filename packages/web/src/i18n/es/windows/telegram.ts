import type { EN_TELEGRAM } from "../../en/windows/telegram.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts about bots that were made for Telegram. */
export const ES_TELEGRAM: PartialTexts<typeof EN_TELEGRAM> = {
  title: "Con un bot hecho para Telegram",
  hint: "Su código no cambia. Solo recibe este token, y estas direcciones en lugar de https://api.telegram.org.",
  token: "Token",
  tokenOf: (name) => `Token de ${name}`,
  yourKey: "<tu clave>",
  tokenHint: "Sustituye <tu clave> por una clave del agente. Una clave solo se muestra al crearla.",
  root: "Raíz de las direcciones",
  noName: "El agente todavía no tiene nombre. Lo obtiene cuando inicia sesión o escribe por primera vez.",
  off: "Este servidor no admite bots hechos para Telegram.",
  policies: {
    owner: "Solo su propietario puede escribirle directamente, así que no recibe el /start de otras personas.",
    nobody: "Nadie puede escribirle directamente, así que no recibe /start.",
  },
  letAnybody: "Permitir que cualquiera le escriba",
  anybodyMay: "Cualquiera puede escribirle directamente.",
  afterCode:
    "Para un bot hecho para Telegram, la respuesta lleva un token y la raíz de las direcciones (telegram.token y telegram.api_root), salvo que este servidor no admita ninguno.",
};
