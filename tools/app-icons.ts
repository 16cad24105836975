/**
 * Draws the icons of the installed app from packages/web/src/icon.svg, with Debian's Chromium: bun tools/app-icons.ts
 */
import { join } from "node:path";
import { openBrowser } from "../packages/web/test/support/browser.ts";

const ICON = join(import.meta.dir, "../packages/web/src/icon.svg");
const FOLDER = join(import.meta.dir, "../packages/server/src/web/icons");

interface Drawing {
  size: number;
  /** The part of the width that the icon takes. */
  part: number;
  background: string;
  /** Draws only the shape, in white: Android shows the badge in a colour of its own. */
  isShape?: boolean;
}

/** Systems cut a mask out of `maskable`: only its middle 80 % is always visible. iOS draws transparent parts in black. */
const DRAWINGS: Record<string, Drawing> = {
  "icon-192": { size: 192, part: 1, background: "transparent" },
  "icon-512": { size: 512, part: 1, background: "transparent" },
  "maskable-512": { size: 512, part: 0.62, background: "#ffffff" },
  "apple-touch-icon": { size: 180, part: 0.76, background: "#ffffff" },
  badge: { size: 96, part: 1, background: "transparent", isShape: true },
};

const svg = await Bun.file(ICON).text();
const browser = await openBrowser();
for (const [name, { size, part, background, isShape }] of Object.entries(DRAWINGS)) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  const drawn = isShape ? svg.replaceAll(/<circle[^>]*>/g, "").replaceAll(/fill="#[0-9a-f]{6}"/g, 'fill="#fff"') : svg;
  const picture = `data:image/svg+xml;base64,${btoa(drawn)}`;
  await page.setContent(
    `<style>*{margin:0}body{display:grid;place-items:center;height:100vh;background:${background}}</style>` +
      `<img src="${picture}" width="${Math.round(size * part)}" height="${Math.round(size * part)}">`,
  );
  await page
    .locator("img")
    .evaluate((image) => ("decode" in image && typeof image.decode === "function" ? image.decode() : null));
  await page.screenshot({ path: join(FOLDER, `${name}.png`), omitBackground: true });
  await page.close();
}
await browser.close();
