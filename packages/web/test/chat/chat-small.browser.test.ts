import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { upload } from "../../../server/test/support/files/sent-file.ts";
import { say } from "../../../server/test/support/say.ts";
import { eventually } from "../../../server/test/support/servers/test-server.ts";
import { staff } from "../../../server/test/support/staff.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";
import type { ChatVisit } from "../support/chat-visit.ts";

/** A small phone, a window of 1280 × 1024 at 400 %, and a phone on its side. */
const SIZES = [
  { width: 320, height: 640 },
  { width: 320, height: 256 },
  { width: 844, height: 390 },
];
const PICTURE = join(import.meta.dir, "../../../../docs/images/phone.png");

/** Lists what is wider than the window, and what cannot be reached by scrolling; runs in the page. */
const FAULTS = `(within) => {
  const faults = [];
  const root = document.querySelector(within);
  if (root === null) return [within + " is not there"];
  const name = (it) => it.tagName + "." + it.className + " " + (it.getAttribute("aria-label") ?? it.textContent).slice(0, 40);
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page is " + document.documentElement.scrollWidth + " wide");
  for (const each of [root, ...root.querySelectorAll(".dialog, .side, .menu")]) {
    if (each.scrollWidth > each.clientWidth + 1) faults.push("scrolls sideways: " + name(each));
  }
  for (const each of root.querySelectorAll("button, a[href], input:not([type=hidden]), textarea, select, summary")) {
    if (!each.checkVisibility({ visibilityProperty: true }) || each.disabled || each.closest("[inert]") !== null) continue;
    each.scrollIntoView({ block: "center", inline: "nearest" });
    const { left, right, top, bottom, width, height } = each.getBoundingClientRect();
    // A button that appears when the pointer is above its row; the menu has the same for touch and keys.
    if (getComputedStyle(each).opacity === "0") continue;
    if (width < 2 || height < 2 || getComputedStyle(each).clipPath !== "none") continue;
    if (left < -1 || right > innerWidth + 1) faults.push("is beside the window: " + name(each));
    const middle = [(left + right) / 2, (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2];
    const hit = document.elementFromPoint(...middle);
    const isHit = hit !== null && (each.contains(hit) || hit.contains(each) || hit.closest("label")?.contains(each));
    if (!isHit) faults.push("is out of reach: " + name(each) + " under " + (hit === null ? "nothing" : name(hit)));
  }
  return faults;
}`;

describe("the page in a small window", () => {
  const world = eachServer();
  const LONG = `${"没有空格的很长的文件名".repeat(6)}.png`;
  const NAMES = [LONG, `${"w".repeat(120)}.png`, `${"ملف طويل الاسم ".repeat(9)}.png`];

  async function filled(size: { width: number; height: number }, who: "ann" | "ben"): Promise<ChatVisit> {
    const ann = await staff(world.server, "ann", 3);
    await ann.post("/api/channels", { name: "Lab", topic: "What is measured here. ".repeat(8) });
    await say(ann, "lab", "One of the lab. ".repeat(30));
    const ids: number[] = [];
    for (const name of NAMES) {
      const { body } = await upload(ann, await Bun.file(PICTURE).bytes(), name);
      ids.push(body.file.file_id);
    }
    await say(ann, "lab", "", { file_ids: ids });
    await say(ann, "lab", "The last of the lab.");
    const visit = await world.open({
      as: who === "ann" ? ann : await world.server.user("ben"),
      at: "#/c/lab",
      viewport: size,
    });
    await visit.waitFor("The last of the lab.");
    return visit;
  }

  const faults = async (page: Page, within: string): Promise<string[]> => [
    ...((await page.evaluate(`(${FAULTS})(${JSON.stringify(within)})`)) as string[]),
    ...(await axeProblems(page, within)),
  ];

  /** Opens something, looks for faults in it and in each of its tabs, and closes it. */
  async function walk(visit: ChatVisit, open: Locator, within = "dialog[open]"): Promise<void> {
    const { page } = visit;
    await open.first().click();
    const shown = page.locator(within).last();
    await shown.waitFor();
    const tabs = await shown.getByRole("tab").count();
    for (let at = 0; at < Math.max(1, tabs); at++) {
      if (tabs > 0) await shown.getByRole("tab").nth(at).click();
      await visit.drawn();
      expect(await faults(page, within)).toEqual([]);
    }
    await page.keyboard.press("Escape");
    await shown.waitFor({ state: "detached" });
  }

  /** The drawer is closed and at rest, or open and at rest. */
  const atRest = (page: Page) =>
    eventually("nothing moves", () =>
      page.evaluate("document.getAnimations().every((each) => each.playState !== 'running')"),
    );

  for (const size of SIZES) {
    const named = `${size.width} × ${size.height}`;
    const isPhone = size.width < 720;
    const openList = async ({ page }: ChatVisit) => {
      if (isPhone) await page.getByRole("button", { name: "Open the channel list" }).click();
      await page.locator(".sidebar").waitFor();
      await atRest(page);
    };

    test(`messages and composer can be used beside notices, and each panel fits (${named})`, async () => {
      const visit = await filled(size, "ben");
      const { page } = visit;
      // Ben has not joined, and a banner says so.
      await page.locator(".join-line").waitFor();
      for (const part of [".bar", ".join-line", ".composer"]) {
        expect(await faults(page, `.conversation > ${part}`)).toEqual([]);
      }
      const room = await page.locator(".conversation .scroll-frame").boundingBox();
      expect(room?.height ?? 0).toBeGreaterThanOrEqual(48);
      const field = await visit.field.boundingBox();
      expect((field?.y ?? 0) + (field?.height ?? 0)).toBeLessThanOrEqual(size.height);
      const bar = page.locator("header.bar");
      for (const name of ["Search", "Pinned messages", "Files", /online/]) {
        await bar.getByRole("button", { name }).first().click();
        await page.locator("main[data-panel]").waitFor();
        expect(await faults(page, "aside")).toEqual([]);
        await page.locator("aside").getByRole("button", { name: "Close", exact: true }).first().click();
        await page.locator("main[data-panel]").waitFor({ state: "detached" });
      }
      await openList(visit);
      expect(await faults(page, ".sidebar")).toEqual([]);
    });

    test(`each window fits (${named})`, async () => {
      const visit = await filled(size, "ann");
      const { page } = visit;
      for (const window of ["Your profile", "Your agents", "Administration", "Keyboard shortcuts"]) {
        await openList(visit);
        await page.getByRole("button", { name: /^Account menu/ }).click();
        await walk(visit, page.locator(".popover").getByRole("button", { name: window }));
        if (isPhone) await page.getByRole("button", { name: "Close the channel list" }).click();
      }
      await openList(visit);
      for (const window of ["Create a channel", "Go to", "New direct", "Invite people"]) {
        await walk(visit, page.locator(".sidebar").getByRole("button", { name: window }));
      }
      if (isPhone) await page.getByRole("button", { name: "Close the channel list" }).click();
      await walk(visit, page.locator("header.bar").getByRole("button", { name: "Settings" }));
    });

    test(`the viewer of pictures fits with each name (${named})`, async () => {
      const visit = await filled(size, "ann");
      for (const [at] of NAMES.entries()) {
        await walk(visit, visit.page.locator(".message button:has(img)").nth(at), ".lightbox");
      }
    });
  }
});
