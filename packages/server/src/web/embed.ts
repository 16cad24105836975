import { join } from "node:path";
import type { WebPages } from "./bundle.ts";

/** Runs while the executable is built (a macro). The bundler waits for it, so another process bundles the pages. */
export function embedPages(): WebPages {
  const bundling = Bun.spawnSync([process.execPath, join(import.meta.dir, "bundle.ts")]);
  if (!bundling.success) throw new Error(`The pages could not be bundled: ${bundling.stderr}`);
  return JSON.parse(bundling.stdout.toString());
}
