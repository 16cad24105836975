import { join } from "node:path";
import type { ProgramFiles } from "./pack-programs.ts";

/** Runs while a bundle is built (a macro). The bundler waits for it, so another process builds the programs. */
export function embedPrograms(): ProgramFiles {
  const packing = Bun.spawnSync([process.execPath, join(import.meta.dir, "pack-programs.ts")]);
  if (!packing.success) throw new Error(`The programs could not be bundled: ${packing.stderr}`);
  return JSON.parse(packing.stdout.toString());
}
