import { presenceConformance } from "./presence.conformance.ts";
import { MemoryPresence } from "./presence.memory.ts";

presenceConformance("MemoryPresence", (scheduler) => new MemoryPresence(scheduler));
