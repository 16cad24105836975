import { describe, expect, test } from "bun:test";
import { addEmoji } from "../../../server/test/support/emoji.ts";
import { stillGif } from "../../../server/test/support/gifs.ts";
import { png } from "../../../server/test/support/pngs.ts";
import { eventually, startTestServer } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";

const NARROW = { viewport: { width: 320, height: 640 }, colorScheme: "dark" } as const;

describe("emoji of the server, in a browser", () => {
  const world = eachServer(() => startTestServer({ rateLimits: "off" }), [400, 409]);

  test("a person adds one from the picker, and both people see it in texts and reactions at once", async () => {
    const [ann, ben] = [await world.server.user("ann"), await world.server.user("ben")];
    for (const content of ["Look: :my_dot: and `:my_dot:`", ":my_dot: 🎉"])
      expect((await ann.post("/api/messages", { channel_slug: "general", content })).status).toBe(201);
    const { page } = await world.open({ as: ann, ...NARROW });
    const other = (await world.open({ as: ben })).page;
    const text = (of: typeof page) => of.locator("article.message", { hasText: "Look:" }).locator(".body");
    await text(page).locator("code").waitFor();
    expect(await text(other).locator("img").count()).toBe(0);

    await page.getByRole("button", { name: "Emoji", exact: true }).click();
    await page.getByRole("button", { name: "Emoji of this server" }).click();
    await page.getByText("No emoji found.").waitFor();
    await page.getByRole("button", { name: "Add or delete emoji" }).click();
    const dialog = page.getByRole("dialog", { name: "Emoji of this server" });
    const file = (name: string, buffer: Buffer) => ({ name, mimeType: "image/png", buffer });
    await dialog.getByLabel("Picture", { exact: true }).setInputFiles(file("My dot.png", png(40, 40)));
    expect(await dialog.getByLabel("Name", { exact: true }).inputValue()).toBe("my_dot");
    await dialog.getByText(":my_dot:").waitFor();
    await dialog.getByRole("img", { name: "The picture as it will look" }).waitFor();
    await dialog.getByLabel("Name", { exact: true }).fill("tada");
    await dialog.getByRole("button", { name: "Add the emoji" }).click();
    await dialog.getByText("There is already an emoji of this name").waitFor();
    await dialog.getByLabel("Name", { exact: true }).fill("my_dot");
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Add the emoji" }).click();
    await dialog.getByRole("button", { name: "Delete :my_dot:" }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await dialog.getByRole("button", { name: "Close" }).click();

    // The other page was open all the time.
    const picture = text(other).getByRole("img", { name: ":my_dot:" });
    await picture.waitFor();
    const width = "document.querySelector('.server-emoji').naturalWidth";
    await eventually("its picture is loaded", async () => (await other.evaluate(width)) === 40);
    expect(await text(other).locator("code").textContent()).toBe(":my_dot:");
    await other.locator("article.message", { hasText: "🎉" }).locator(".markdown.large img").waitFor();

    await text(other).hover();
    await other.getByRole("button", { name: "Add a reaction" }).click();
    await other.getByRole("searchbox", { name: "Search emoji" }).fill("my-dot");
    await other.getByRole("button", { name: "React with :my_dot:" }).click();
    const chip = page.getByRole("button", { name: /^my_dot/ });
    await chip.locator("img").waitFor({ state: "attached" });
    expect(await axeProblems(page)).toEqual([]);
    await chip.click();
    await page.getByRole("button", { name: /^my_dot.*2/ }).waitFor();

    // An emoji that is deleted leaves its name.
    await ann.delete("/api/emoji/my_dot");
    await text(other).locator("img").waitFor({ state: "detached" });
    expect(await text(other).textContent()).toBe("Look: :my_dot: and :my_dot:");
    await page
      .getByRole("button", { name: /^my_dot.*2/ })
      .getByText("my_dot")
      .waitFor();
  });

  test("a name is completed after a colon, and a deleted or foreign name stays text", async () => {
    const ann = await world.server.user("ann");
    expect((await addEmoji(ann, "zebra_x", stillGif(6, 6))).status).toBe(201);
    const { page } = await world.open({ as: ann, locale: "es-ES" });
    const field = page.getByRole("combobox").or(page.locator("textarea")).first();
    await field.click();
    await field.pressSequentially("hola :zebr");
    const option = page.getByRole("option", { name: ":zebra_x:" });
    await option.locator("img").waitFor({ state: "attached" });
    await field.press("Enter");
    expect(await field.inputValue()).toBe("hola :zebra_x: ");
    await field.pressSequentially("10:30:45 :nobody_x:");
    await field.press("Enter");
    const text = page.locator(".message .body").last();
    await text.getByRole("img", { name: ":zebra_x:" }).waitFor();
    expect(await text.textContent()).toBe("hola  10:30:45 :nobody_x:");
    expect(await text.locator("img").count()).toBe(1);
  });

  test("a page without such names asks for no emoji", async () => {
    const ann = await world.server.user("ann");
    await ann.post("/api/messages", { channel_slug: "general", content: "It is 10:30:45, see https://a.example:80/x" });
    const asked: string[] = [];
    const { page } = await world.open({ as: ann });
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.reload();
    await page.getByText("It is 10:30:45").waitFor();
    await page.locator(".markdown").first().waitFor();
    expect(asked.length).toBeGreaterThan(3);
    expect(asked.filter((path) => path.startsWith("/api/emoji"))).toEqual([]);
  });
});
