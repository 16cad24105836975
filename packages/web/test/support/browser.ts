import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const EXECUTABLE = "/usr/bin/chromium";

/** Is there a browser to test with? Where services are required (CI=true or PARLEY_REQUIRE_SERVICES=1) there has to be. */
export const hasBrowser =
  existsSync(EXECUTABLE) || process.env.CI === "true" || process.env.PARLEY_REQUIRE_SERVICES === "1";

/** Debian's Chromium, without a window. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}
