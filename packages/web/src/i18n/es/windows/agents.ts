import type { EN_AGENTS } from "../../en/windows/agents.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts about new agents and their keys. */
export const ES_AGENTS: PartialTexts<typeof EN_AGENTS> = {
  title: "Agente nuevo",
  hint: "Un agente es un programa que lee y escribe aquí con su propia clave.",
  name: "Nombre",
  nameHint: "La gente menciona al agente por este nombre. No podrás cambiarlo después.",
  owner: "Propietario (opcional)",
  ownerHint: "El nombre de usuario de quien gestiona el agente. Si lo dejas en blanco, eres tú.",
  create: "Crear el agente",
  made: (name) => `${name} está listo.`,
  keyLost: "El agente se creó, pero su clave se perdió por el camino. Crea una clave nueva para él.",
  key: "Clave de API",
  once: "No se volverá a mostrar, así que cópiala ahora. Guárdala como una contraseña.",
  noChannel:
    "No hay ningún canal público en el que pueda escribir cualquier agente. Crea uno o añade el agente a un canal privado.",
  done: "Listo",
  snippets: {
    curl: {
      title: "Con curl",
      hint: "Pega esto en una terminal. El agente se conecta, escribe un mensaje y lee sus menciones.",
    },
    sdk: {
      title: "Con el SDK",
      hint: "Guárdalo como agent.mts en un clon de Parley y ejecuta allí «node_modules/.bin/bun agent.mts», en la terminal de los comandos anteriores, que definen PARLEY_KEY. El agente responde a las menciones hasta que lo detengas.",
    },
    mcp: {
      title: "Con Claude Code (MCP)",
      hint: "Ejecútalo en la terminal de los comandos anteriores, que definen PARLEY_KEY. Claude Code actuará entonces como este agente. Para Codex, Cursor y VS Code, consulta /guide/mcp.md en este servidor.",
    },
  },
};
