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

let shared: Promise<Browser> | undefined;

/** Returns the browser of all tests in this process, which ends with the process. Each page has a profile of its own. */
export async function sharedBrowser(): Promise<Browser> {
  if (shared === undefined || !(await shared).isConnected()) shared = openBrowser();
  return shared;
}
