import { type Browser, chromium } from "playwright-core";

/** Debian's Chromium. */
const WHOLE = "/usr/bin/chromium";
/** The same engine without a window system. A page takes two thirds of the processor time, but there is no push. */
const SHELL = "/usr/bin/chromium-headless-shell";

/** Opens the shell; `needsPush` opens Chromium, which can receive pushes. */
export function openBrowser({ needsPush = false } = {}): Promise<Browser> {
  const executablePath = needsPush ? WHOLE : SHELL;
  // The microphone is one that beeps, and every page may use it.
  const media = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"];
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage", ...media] });
}

const shared = new Map<boolean, Promise<Browser>>();

/** Returns the browser of all tests in this process, which ends with the process. Each page has a profile of its own. */
export async function sharedBrowser({ needsPush = false } = {}): Promise<Browser> {
  const open = shared.get(needsPush);
  if (open !== undefined && (await open).isConnected()) return open;
  const opened = openBrowser({ needsPush });
  shared.set(needsPush, opened);
  return opened;
}
