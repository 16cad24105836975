/**
 * `node_modules/.bin/bun tools/screenshots/main.ts [--view TEXT] [--look TEXT] [--folder DIR] [--docs]`: takes pictures of
 * every view in both themes, on a phone and in small windows, as `<view>-<look>.png` in `dist/screenshots`, with a server
 * of its own and Debian's Chromium (and its fonts-noto-color-emoji). Prints what axe finds in each, and exits with 1 if it
 * finds something or a view cannot be shown. `--docs` also takes the pictures of the guide and replaces those in
 * docs/images.
 */
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import { createOwner } from "../../packages/server/src/channels/newcomers.ts";
import { logIn, PASSWORD, startTestServer } from "../../packages/server/test/support/servers/test-server.ts";
import { staff } from "../../packages/server/test/support/staff.ts";
import { axeProblems } from "../../packages/web/test/support/axe.ts";
import { openBrowser } from "../../packages/web/test/support/browser.ts";
import { ChatVisit } from "../../packages/web/test/support/chat-visit.ts";
import { PHONE } from "../../packages/web/test/support/touch.ts";
import { Visits } from "../../packages/web/test/support/visits.ts";
import { fill } from "./fill.ts";
import { takeScenes } from "./scenes.ts";
import { viewsOf } from "./views.ts";

const ROOT = join(import.meta.dir, "../..");
/** The pictures of views that the guide shows. */
const IN_GUIDE = [
  "threads-light",
  "files-light",
  "files-dark",
  "daily-light",
  "daily-phone-dark",
  "own-emoji-light",
  "imported-light",
  "imported-mattermost-light",
  "imports-light",
];
const VIEW_MS = 15_000;

type Options = NonNullable<Parameters<Browser["newContext"]>[0]>;

/** How each view is shown; the last two as chat-small.browser.test.ts checks them. */
const LOOKS: Readonly<Record<string, Options>> = {
  light: { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
  phone: { ...PHONE, colorScheme: "light" },
  "phone-dark": { ...PHONE, colorScheme: "dark" },
  // A window of 1280 × 1024 at 400 %.
  zoomed: { viewport: { width: 320, height: 256 }, deviceScaleFactor: 4, colorScheme: "light" },
  "on-its-side": { viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true, colorScheme: "dark" },
};
const PHONE_WIDTH = 720;

const { values } = parseArgs({
  options: {
    view: { type: "string", default: "" },
    look: { type: "string", default: "" },
    folder: { type: "string", default: join(ROOT, "dist/screenshots") },
    docs: { type: "boolean", default: false },
  },
});
const problems: string[] = [];

async function take(page: Page, name: string, fullPage = false): Promise<void> {
  const path = join(values.folder, `${name}.png`);
  mkdirSync(dirname(path), { recursive: true });
  await page.screenshot({ path, fullPage });
}

async function takeChecked(page: Page, name: string): Promise<void> {
  problems.push(...(await axeProblems(page)).map((problem) => `${name}: ${problem}`));
  await take(page, name);
}

const isChosen = (view: string): boolean => view.includes(values.view);

/** The front door of a private server, and the first steps of its owner. */
async function takeFirstStart(visits: Visits, look: string, options: Options): Promise<void> {
  await using server = await startTestServer({ siteName: "Harbour", guestRead: false });
  await createOwner(server.ctx, "rosa", PASSWORD);
  const door = await visits.open(server.url, options);
  await door.getByRole("button", { name: "Log in" }).waitFor();
  await takeChecked(door, `front-door-${look}`);
  await door.getByRole("button", { name: "Create account" }).click();
  await door.getByRole("dialog").getByLabel("Username").waitFor();
  await takeChecked(door, `register-${look}`);
  const visit = await ChatVisit.open(visits, server.url, { as: await logIn(server.url, "rosa"), ...options });
  await visit.page.getByRole("region", { name: "Set up your server" }).waitFor();
  await takeChecked(visit.page, `first-steps-${look}`);
}

/** Every view in one look, each in a page that has just been loaded. */
async function takeViews(visits: Visits, look: string, options: Options): Promise<void> {
  await using server = await startTestServer({ siteName: "Harbour" });
  const rosa = await staff(server, "rosa", 3);
  await fill(server, rosa);
  const visit = await ChatVisit.open(visits, server.url, { as: rosa, timezoneId: "UTC", ...options });
  visit.page.setDefaultTimeout(VIEW_MS);
  const isPhone = (options.viewport?.width ?? 0) < PHONE_WIDTH;
  for (const [name, view] of Object.entries(viewsOf(server))) {
    if (!isChosen(name)) continue;
    try {
      await visit.page.goto("about:blank");
      await visit.page.goto(`${server.url}/#/c/general`);
      await visit.live();
      await visit.waitFor("Deployed.");
      await view(visit, isPhone);
      await takeChecked(visit.page, `${name}-${look}`);
    } catch (error) {
      problems.push(`${name}-${look} cannot be shown: ${String(error).split("\n", 2).join(" ")}`);
      await take(visit.page, `${name}-${look}-failed`);
    }
  }
}

const browser = await openBrowser();
const visits = new Visits(browser);
for (const [look, options] of Object.entries(LOOKS)) {
  if (!look.includes(values.look)) continue;
  console.error(`${look} …`);
  if (isChosen("first-steps")) await takeFirstStart(visits, look, options);
  await takeViews(visits, look, options);
  await visits.leave();
}
if (values.docs) {
  await takeScenes(visits, take);
  for (const name of ["page", "dark", "phone", "claim-post", "claim-key", "claim-phone", "packet", "packet-split"])
    keep(name);
  for (const name of ["profile", "admin", "health"]) keep(name);
  for (const name of IN_GUIDE) keep(name, `views/${name}`);
}
await browser.close();
for (const problem of problems) console.log(problem);
console.log(`${problems.length} problems; the pictures are in ${values.folder}`);
process.exit(problems.length === 0 ? 0 : 1);

/** Replaces a picture of the guide. */
function keep(name: string, as = name): void {
  copyFileSync(join(values.folder, `${name}.png`), join(ROOT, "docs/images", `${as}.png`));
}
