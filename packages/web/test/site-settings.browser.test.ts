import { describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { png } from "../../server/test/support/pngs.ts";
import { startTestServer } from "../../server/test/support/servers/test-server.ts";
import { staff } from "../../server/test/support/staff.ts";
import { axeProblems } from "./support/axe.ts";
import { eachServer } from "./support/browser-world.ts";

/** Returns the width of a picture, once it is decoded. */
const widthOf = (picture: Locator): Promise<number> =>
  picture.evaluate(async (shown) => {
    const image = shown as unknown as { decode(): Promise<void>; naturalWidth: number };
    await image.decode();
    return image.naturalWidth;
  });

describe("the settings of the site in a browser", () => {
  // A change that comes too late.
  const world = eachServer(startTestServer, [409]);

  test("an administrator names the site, closes it and gives it a logo, which guests see", async () => {
    const visit = await world.open({ as: await staff(world.server, "rosa", 2) });
    const dialog = await visit.openWindow("rosa", "Administration");
    await dialog.getByRole("tab", { name: "Site" }).click();
    await dialog.getByLabel("Name of the site").fill("Tea House");
    await dialog.getByLabel("Who may register").selectOption("closed");
    await dialog.getByRole("button", { name: "Save" }).click();
    await visit.page.getByText("The settings are saved.").waitFor();
    await visit.page.getByRole("heading", { name: "Tea House", includeHidden: true }).waitFor();
    const file = { name: "logo.png", mimeType: "image/png", buffer: png(300, 200) };
    await dialog.locator('input[type="file"]').setInputFiles(file);
    const logo = dialog.getByRole("img", { name: "Logo" });
    await logo.waitFor();
    expect(await widthOf(logo)).toBe(256);
    expect(await axeProblems(dialog.page(), "dialog")).toEqual([]);
    const guest = await world.open();
    await guest.page.getByRole("heading", { name: "Tea House" }).waitFor();
    const icon = guest.page.locator('.brand img, [src="/favicon.ico"]').first();
    expect(await widthOf(icon)).toBeGreaterThan(0);
    await dialog.getByRole("button", { name: "Remove the logo" }).click();
    await logo.waitFor({ state: "detached" });
    const { body } = await world.server.guest.get("/api/site");
    expect(body.site).toMatchObject({ name: "Tea House", registration: "closed", logo: null });
  });

  test("who saves after somebody else has, reads that the settings have changed", async () => {
    const rosa = await staff(world.server, "rosa", 2);
    const visit = await world.open({ as: rosa });
    const dialog = await visit.openWindow("rosa", "Administration");
    await dialog.getByRole("tab", { name: "Site" }).click();
    await dialog.getByLabel("Name of the site").fill("Mine");
    await rosa.put("/api/admin/site", { name: "Theirs" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Somebody else has changed these settings meanwhile.").waitFor();
  });
});

describe("on a server whose environment sets them,", () => {
  const world = eachServer(() => startTestServer({ siteName: "Harbour", registration: "open" }));

  test("the settings are shown and locked, with the name of the variable, in Chinese, too", async () => {
    const visit = await world.open({ as: await staff(world.server, "rosa", 2), locale: "zh-CN" });
    await visit.page.getByRole("button", { name: "rosa 的账号菜单" }).click();
    await visit.page.getByRole("button", { name: "管理", exact: true }).click();
    const dialog = visit.page.getByRole("dialog", { name: "管理" });
    await dialog.getByRole("tab", { name: "站点" }).click();
    expect(await dialog.getByLabel("站点名称").inputValue()).toBe("Harbour");
    expect(await dialog.getByLabel("站点名称").isDisabled()).toBe(true);
    await dialog.getByText("PARLEY_SITE_NAME").waitFor();
    await dialog.getByText("PARLEY_REGISTRATION").waitFor();
    expect(await dialog.getByRole("button", { name: "保存" }).count()).toBe(0);
  });
});
