import { join } from "node:path";
import type { WebPage } from "./page.ts";

/** Runs while the executable is built (a macro). The bundler waits for it, so the page is bundled by another process. */
export function embedPage(): WebPage {
  const bundling = Bun.spawnSync([process.execPath, join(import.meta.dir, "bundle.ts")]);
  if (!bundling.success) throw new Error(`The page could not be bundled: ${bundling.stderr}`);
  return JSON.parse(bundling.stdout.toString());
}
