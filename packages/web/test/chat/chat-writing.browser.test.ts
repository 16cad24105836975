import { describe, expect, test } from "bun:test";
import { eventually } from "../../../server/test/support/servers/test-server.ts";
import { eachServer } from "../support/browser-world.ts";
import { ChatVisit } from "../support/chat-visit.ts";
import { eachHall } from "../support/hall.ts";
import { Finger, PHONE } from "../support/touch.ts";

describe("the composer", () => {
  const world = eachServer();
  const hall = eachHall(world);

  const newest = async () => {
    const { messages } = (await hall.ana.get("/api/messages?channel_slug=hall")).body;
    return messages.at(-1)?.content;
  };

  test("Arrow up edits the user's last message when it is out of view, and Escape returns to the composer", async () => {
    await hall.ana.post("/api/messages", { channel_id: hall.id, content: "my last wrod" });
    for (let n = 1; n <= 45; n++)
      await hall.ben.post("/api/messages", { channel_id: hall.id, content: `number ${n}.` });
    await hall.ana.post(`/api/channels/${hall.id}/read`, {});
    const visit = await world.open({ as: hall.ana, at: "#/c/hall" });
    const { page } = visit;
    await visit.waitFor("number 45.");
    expect(await visit.message("my last wrod").count()).toBe(0);
    await visit.field.press("ArrowUp");
    const edit = page.getByRole("textbox", { name: "Edit message" });
    await edit.waitFor();
    const isFocused = (id: string) => page.evaluate(`document.activeElement === document.querySelector("${id}")`);
    await eventually("the edit is focused", () => isFocused(".edit textarea"));
    const [box, list] = [await visit.placeOf(edit), await visit.placeOf(page.locator(".scroller"))];
    expect(box.y).toBeGreaterThanOrEqual(list.y);
    expect(box.y + box.height).toBeLessThanOrEqual(list.y + list.height);
    await page.keyboard.press("Escape");
    await edit.waitFor({ state: "detached" });
    await eventually("the composer is focused", () => isFocused("#text"));
    // The text of an edit survives scrolling away.
    await visit.field.press("ArrowUp");
    await edit.fill("my last word");
    await page.getByRole("button", { name: "Jump to the newest messages" }).click();
    await visit.waitFor("number 45.");
    await edit.focus();
    await page.keyboard.press("Enter");
    await eventually("it is edited", async () => {
      const { messages } = (await hall.ana.get("/api/messages?channel_slug=hall&limit=60")).body;
      return messages.some(({ content }: { content: string }) => content === "my last word");
    });
  });

  test("on a phone Enter begins a new line, and the button sends", async () => {
    const visit = await world.open({ as: hall.ana, at: "#/c/hall", ...PHONE });
    const finger = await Finger.on(visit.page);
    await visit.field.fill("one");
    await visit.field.press("Enter");
    await visit.field.pressSequentially("two");
    expect(await visit.field.inputValue()).toBe("one\ntwo");
    await finger.tap(visit.page.getByRole("button", { name: "Send", exact: true }));
    await eventually("it is sent", async () => (await newest()) === "one\ntwo");
  });

  test("Enter begins a new line in a block of code, and sends after its end", async () => {
    const visit = await world.open({ as: hall.ana, at: "#/c/hall" });
    for (const line of ["```js", "let x = 1;", "```"]) {
      await visit.field.pressSequentially(line);
      await visit.field.press("Enter");
    }
    await eventually("it is sent", async () => (await newest()) === "```js\nlet x = 1;\n```");
    expect(await visit.field.inputValue()).toBe("");
    await visit.field.fill("```\nopen");
    await visit.field.press("Control+Enter");
    await eventually("it is sent", async () => (await newest()) === "```\nopen");
  });

  test("completes the names of members who are offline and have written nothing", async () => {
    await (await world.server.user("quiet_quinn")).post(`/api/channels/${hall.id}/join`, {});
    const visit = await world.open({ as: hall.ana, at: "#/c/hall" });
    await visit.field.pressSequentially("hello @qui");
    await visit.page.getByRole("option", { name: "quiet_quinn" }).waitFor();
    await visit.page.keyboard.press("Enter");
    expect(await visit.field.inputValue()).toBe("hello @quiet_quinn ");
  });

  test("completes the name of a channel after a #, by its slug or its name, but not in code", async () => {
    await hall.ana.post("/api/channels", { name: "Design Review", channel_slug: "review" });
    const visit = await world.open({ as: hall.ana, at: "#/c/hall" });
    const { page } = visit;
    const options = page.getByRole("option");
    await visit.field.pressSequentially("See #desi");
    await options.filter({ hasText: "#review" }).waitFor();
    expect(await options.allTextContents()).toEqual(["#review Design Review"]);
    await page.keyboard.press("Enter");
    expect(await visit.field.inputValue()).toBe("See #review ");
    await visit.field.pressSequentially("and #no-such-channel");
    await options.first().waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await eventually("it is sent", async () => (await newest()) === "See #review and #no-such-channel");
    await visit.message("no-such-channel").getByRole("link", { name: "#review" }).waitFor();
    await visit.field.fill("```\n#");
    await visit.field.pressSequentially("re");
    await visit.drawn();
    expect(await options.count()).toBe(0);
  });

  test("marks the channels in which a message is begun, also by another window, until it is sent", async () => {
    const visit = await world.open({ as: hall.ana, at: "#/c/hall" });
    const { page } = visit;
    const link = (name: string) => page.locator(".channel-link", { hasText: name });
    const marks = page.locator(".channel-link").getByTitle("Draft");
    await visit.field.fill("half a thou");
    // The open channel shows the text itself.
    expect(await marks.count()).toBe(0);
    await link("General").click();
    await link("Hall").getByTitle("Draft").waitFor();
    expect(await marks.count()).toBe(1);
    await page.reload();
    await link("Hall").getByTitle("Draft").waitFor();
    expect(await link("Hall").textContent()).toContain("Draft");
    const other = ChatVisit.of(await page.context().newPage());
    await other.page.goto(`${world.server.url}/#/c/hall`);
    await other.live();
    await other.field.press("Enter");
    await eventually("it is sent", async () => (await newest()) === "half a thou");
    await marks.waitFor({ state: "detached" });
  });
});
