import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

/**
 * Returns a function that takes a picture of the page under a name if `PARLEY_SHOTS` names a folder, for people who want
 * to see what a test sees.
 */
export function walkPictures(page: Page): (name: string) => Promise<void> {
  const folder = process.env.PARLEY_SHOTS;
  if (folder === undefined) return async () => {};
  mkdirSync(folder, { recursive: true });
  return async (name) => {
    await page.screenshot({ path: join(folder, `${name}.png`) });
  };
}
