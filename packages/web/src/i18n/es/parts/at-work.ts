import type { EN_AT_WORK } from "../../en/parts/at-work.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts about what agents do. */
export const ES_AT_WORK: PartialTexts<typeof EN_AT_WORK> = {
  title: "Agentes trabajando",
  none: "Ahora ningún agente trabaja aquí.",
  ended: "Trabajo terminado",
  untitled: "Un mensaje",
  states: {
    working: (time) => `Trabaja desde ${time}`,
    waiting: (time) => `Espera desde ${time}`,
    gone: (time) => `Desconectado desde ${time}`,
    done: (time) => `Terminado · ${time}`,
    failed: (time) => `Fallido o detenido · ${time}`,
  },
  waits: (people, time) => {
    if (people === null) return `Te espera desde ${time}`;
    return people === "" ? `Espera una respuesta desde ${time}` : `Espera a ${people} desde ${time}`;
  },
  answer: "Responder",
  question: "Mostrar la pregunta",
  stop: "Detener",
  stopAgent: (name) => `Detener a ${name}`,
  nothingToStop: (name) => `${name} no está haciendo nada aquí.`,
  mayNotStop: (name) =>
    `No se pudo detener a ${name}. Solo pueden hacerlo quien se lo pidió, su propietario y los administradores.`,
  busy: {
    working: (name, time) => `Un mensaje para ${name} espera: está con otro trabajo desde ${time}:`,
    waiting: (name, time) => `Un mensaje para ${name} espera: su otro trabajo aguarda una respuesta desde ${time}:`,
  },
};
