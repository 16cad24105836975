import { presenceConformance } from "./presence.conformance.ts";
import { MemoryPresence } from "./presence.memory.ts";

presenceConformance("MemoryPresence", async (graces) => {
  const presence = new MemoryPresence(graces);
  return { presence, settle: async () => {}, [Symbol.asyncDispose]: () => presence[Symbol.asyncDispose]() };
});
