import { afterAll, describe, expect, test } from "bun:test";
import { newChannel } from "../../../server/test/support/new-channel.ts";
import { PreviewSite, WITH_PREVIEWS } from "../../../server/test/support/preview-site.ts";
import { say } from "../../../server/test/support/say.ts";
import { eventually, startTestServer } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";

const NARROW = { viewport: { width: 320, height: 640 }, colorScheme: "dark" } as const;

describe("previews of links, in a browser", () => {
  const site = new PreviewSite();
  afterAll(() => site[Symbol.dispose]());
  const world = eachServer(() => startTestServer(WITH_PREVIEWS), [403]);

  test("appear below a message, can be left out by one press, and are removed by their sender", async () => {
    const ann = await world.server.user("ann");
    const visit = await world.open({ as: ann, ...NARROW });
    const { page } = visit;
    const url = site.rich("/story", `A <b>story</b> &quot;about&quot; ${"very ".repeat(20)} long titles`);
    await visit.field.fill(`Without: ${url}`);
    await page.getByText("The links in this message get a preview.").waitFor();
    await page.getByRole("button", { name: "Leave it out" }).click();
    await page.getByText("The links in this message get no preview.").waitFor();
    await visit.field.press("Enter");
    await visit.message("Without:").waitFor();
    expect(await page.getByText("The links in this message").count()).toBe(0);
    await visit.say(`With: ${url}`);
    const card = visit.message("With:").locator(".link-preview");
    await card.getByText("A <b>story</b>").waitFor();
    await card.getByText(`127.0.0.1:${site.port}`).waitFor();
    await card.getByText("The site").waitFor();
    const picture = card.locator("img");
    await eventually("the picture is loaded", () =>
      picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth === 480),
    );
    expect(await picture.getAttribute("src")).toStartWith("/api/preview-pictures/");
    expect(await card.getByRole("link").getAttribute("rel")).toBe("noopener noreferrer nofollow");
    expect(await axeProblems(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    expect(await visit.message("Without:").locator(".link-preview").count()).toBe(0);
    await page.getByRole("button", { name: /^Remove the preview of 127/ }).click();
    await card.waitFor({ state: "detached" });
  });

  test("stay left out after another channel, a reload, a refusal and a wait, until the message is sent", async () => {
    const [ann, ben] = [await world.server.user("ann"), await world.server.user("ben")];
    const { id, slug } = await newChannel(ann);
    await ben.post(`/api/channels/${id}/join`);
    const visit = await world.open({ as: ben, at: `#/c/${slug}` });
    const { page, field } = visit;
    const url = site.rich("/kept", "Kept");
    const [on, off] = ["", "no "].map((no) => page.getByText(`The links in this message get ${no || "a "}preview.`));
    if (on === undefined || off === undefined) throw new Error("There are two lines.");
    await field.fill(`First: ${url}`);
    await page.getByRole("button", { name: "Leave it out" }).click();
    await off.waitFor();
    await page.evaluate("location.hash = '#/c/general'");
    await off.waitFor({ state: "detached" });
    await page.evaluate(`location.hash = '#/c/${slug}'`);
    await off.waitFor();
    await page.reload();
    await off.waitFor();
    expect(await field.inputValue()).toBe(`First: ${url}`);
    const mute = (muted_until: string | null) => ann.put(`/api/channels/${id}/members/ben`, { muted_until });
    expect((await mute("2100-02-03T12:00:00.000Z")).status).toBe(200);
    await field.press("Enter");
    const failed = page.locator(".pending.failed");
    await failed.waitFor();
    await mute(null);
    await page.reload();
    await failed.getByRole("button", { name: "Try again" }).click();
    await page.locator("article.message:not(.pending)", { hasText: "First:" }).waitFor();

    await field.fill(`Later: ${url}`);
    await on.waitFor();
    await page.getByRole("button", { name: "Leave it out" }).click();
    await page.getByRole("button", { name: "Send later or disappear" }).click();
    await page.getByRole("button", { name: "In 20 minutes" }).click();
    await eventually("it is scheduled", async () => (await field.inputValue()) === "");
    const { db } = world.server.ctx;
    await db
      .updateTable("scheduled_messages")
      .set({ send_at: Date.now() - 1_000 })
      .execute();
    await page.locator("article.message", { hasText: "Later:" }).waitFor();
    const owed = await db.selectFrom("messages").select("previews").where("channel_id", "=", id).execute();
    expect(owed).toEqual([{ previews: null }, { previews: null }]);
    expect(site.countOf("/kept")).toBe(0);
  });

  test("do not move somebody who reads older messages, nor away from the end", async () => {
    const ann = await world.server.user("ann");
    const url = site.rich("/late", "Late");
    for (let n = 0; n < 12; n += 1) await say(ann, "general", `before ${n}\nsecond line`);
    const { message_id } = await say(ann, "general", url, { link_previews: false });
    for (let n = 0; n < 14; n += 1) await say(ann, "general", `after ${n}\nsecond line`);
    const [reading, following] = [await world.open({ as: ann }), await world.open({ as: ann })];
    const marker = reading.message("after 2");
    await reading.page.mouse.move(600, 300);
    await eventually("an older message is in view", async () => {
      await reading.page.mouse.wheel(0, -100);
      return (await marker.isVisible()) && ((await marker.boundingBox())?.y ?? 0) > 80;
    });
    const before = await reading.placeOf(marker);
    // From now on the server owes the preview, as if its page had been slow.
    await world.server.ctx.db.updateTable("messages").set({ previews: "" }).where("id", "=", message_id).execute();
    for (const { page } of [reading, following])
      await page.locator(".link-preview", { hasText: "Late" }).waitFor({ state: "attached" });
    expect(Math.abs((await reading.placeOf(marker)).y - before.y)).toBeLessThan(2);
    const last = following.message("after 13");
    await eventually("the end is still shown", async () => {
      const { y, height } = await following.placeOf(last);
      return y + height < 720;
    });
  });

  test("are switched off for a channel in its settings, in Chinese", async () => {
    const ann = await world.server.user("ann");
    await ann.post("/api/channels", { name: "Garden" });
    const visit = await world.open({ as: ann, at: "#/c/garden", locale: "zh-CN" });
    const { page } = visit;
    await visit.field.fill("https://example.org");
    await page.getByText("这条消息中的链接会显示预览。").waitFor();
    await page.getByRole("button", { name: "设置" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("链接预览").uncheck();
    await dialog.getByRole("button", { name: "保存" }).first().click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("这条消息中的链接会显示预览。").waitFor({ state: "detached" });
    expect((await ann.get("/api/channels?channel_slug=garden")).body.channels[0].link_previews).toBe(false);
  });
});
