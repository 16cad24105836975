import { embedPrograms } from "./embed.ts" with { type: "macro" };
import type { ProgramFiles } from "./pack-programs.ts";

/** The programs as they were when the bundle was built. */
export const EMBEDDED_PROGRAMS: ProgramFiles = embedPrograms();
