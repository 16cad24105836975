import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const EXECUTABLE = "/usr/bin/chromium";

/** True if a browser is available. It is required if services are (CI=true or PARLEY_REQUIRE_SERVICES=1). */
export const hasBrowser =
  existsSync(EXECUTABLE) || process.env.CI === "true" || process.env.PARLEY_REQUIRE_SERVICES === "1";

/** Debian's Chromium, headless. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}
