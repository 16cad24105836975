import { describe, expect, test } from "bun:test";
import { eventually } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";

const PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true };

describe("access to the chat", () => {
  const world = eachServer();

  test.each(["light", "dark"] as const)("axe finds no problem in the main views, %s", async (colorScheme) => {
    const ana = await world.server.user("ana");
    const ben = await world.server.user("ben");
    const scout = await world.server.agent("Scout");
    await scout.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Scout" });
    await ana.post("/api/channels", { name: "Hall", topic: "All and everything" });
    const { body } = await ana.post("/api/messages", { channel_slug: "hall", content: "@ben see https://example.com" });
    await ben.put(`/api/messages/${body.message_id}/reactions/like`);
    await ana.post("/api/messages", { channel_slug: "hall", content: "a reply", reply_to_id: body.message_id });
    const visit = await world.open({ as: ana, at: "#/c/hall", colorScheme });
    const { page } = visit;
    await page.getByText("a reply").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await visit.act("a reply", "More");
    await page.getByRole("button", { name: "Copy link" }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Search" }).click();
    await page.locator(".side").getByRole("searchbox").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    for (const [opener, closer] of [
      ["Settings", "Close"],
      ["Create a channel", "Close"],
    ] as const) {
      await page.getByRole("button", { name: opener }).click();
      await page.getByRole("dialog").waitFor();
      expect(await axeProblems(page)).toEqual([]);
      await page.getByRole("dialog").getByRole("button", { name: closer }).first().click();
    }
    const guest = await world.open({ colorScheme });
    await guest.page.getByRole("button", { name: "Create account" }).click();
    await guest.page.getByRole("dialog").waitFor();
    expect(await axeProblems(guest.page)).toEqual([]);
    const phone = await world.open({ ...PHONE, colorScheme });
    await phone.page.getByRole("button", { name: "Open the channel list" }).click();
    await phone.page.getByRole("navigation", { name: "Channels" }).waitFor();
    expect(await axeProblems(phone.page)).toEqual([]);
  });

  test("the keyboard reaches the messages, moves between them, opens their actions and returns", async () => {
    const as = await world.server.user("ana");
    for (const content of ["one", "two", "three"]) {
      await as.post("/api/messages", { channel_slug: "general", content });
    }
    const { page } = await world.open({ as });
    await page.getByText("three").waitFor();
    const focused = () =>
      page.evaluate("document.activeElement.closest('article')?.querySelector('.body')?.textContent");
    await page.getByRole("button", { name: "Skip to the messages" }).focus();
    await page.keyboard.press("Enter");
    expect(await focused()).toBe("three");
    await page.keyboard.press("ArrowUp");
    await eventually("two has the focus", async () => (await focused()) === "two");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Replying to ana").waitFor();
    await eventually("one can write", async () => (await page.evaluate("document.activeElement.id")) === "text");
    await page.keyboard.type("an answer");
    await page.keyboard.press("Enter");
    // A message that is still being sent is not the last message yet.
    await page.locator(".message:not(.pending) .quote", { hasText: "two" }).waitFor();
    // Up, in an empty field, edits the last message.
    await page.keyboard.press("ArrowUp");
    await page.keyboard.type("!");
    await page.keyboard.press("Enter");
    await page.getByText("an answer!").waitFor();
  });

  test("on a phone nothing is wider than the screen, and the lists of channels and people open and close", async () => {
    const as = await world.server.user("a".repeat(32));
    await as.post("/api/channels", { name: "Hall" });
    const visit = await world.open({ as, ...PHONE });
    const { page } = visit;
    await visit.say("w".repeat(600));
    await visit.waitFor("www");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    const channels = page.getByRole("navigation", { name: "Channels" });
    expect(await channels.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Open the channel list" }).click();
    await channels.getByRole("link", { name: "Hall" }).click();
    await page.getByRole("heading", { name: "This is the start of #Hall." }).waitFor();
    await channels.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "1 online" }).click();
    await page.locator(".side .person").first().waitFor();
    await page.locator(".side").getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Open the channel list" }).click();
    await page.getByRole("button", { name: /^Account menu of/ }).click();
    await page.getByRole("link", { name: "Get a key for your agent" }).click();
    await page.getByRole("button", { name: "Get a code" }).waitFor();
  });

  test("the chat uses the browser's language, switches language and colours, and remembers both", async () => {
    const { page } = await world.open({ locale: "zh-CN", colorScheme: "light" });
    await page.getByRole("button", { name: "注册账号" }).waitFor();
    expect(await page.evaluate("document.documentElement.lang")).toBe("zh-Hans");
    const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await ground();
    await page.getByRole("button", { name: "访客 的账号" }).click();
    await page.getByRole("button", { name: "深色" }).click();
    expect(await ground()).not.toBe(light);
    await page.getByRole("button", { name: "English" }).click();
    await page.getByText("You're browsing as a guest.").waitFor();
    await page.reload();
    await page.getByText("You're browsing as a guest.").waitFor();
    expect(await ground()).not.toBe(light);
  });

  test("an error is shown in the page's language with the server's details, after a reload, too", async () => {
    const [boss, ana] = [await world.server.user("boss"), await world.server.user("ana")];
    const { body } = await boss.post("/api/channels", { name: "Hall" });
    await ana.post(`/api/channels/${body.channel_id}/join`);
    const muted_until = "2100-02-03T12:00:00.000Z";
    await boss.put(`/api/channels/${body.channel_id}/members/ana`, { muted_until });
    const visit = await world.open({ as: ana, at: "#/c/hall", locale: "zh-CN", timezoneId: "UTC" });
    const told = visit.page.locator(".failed").getByText("未发送：你在此频道被禁言至 2100年2月3日 12:00。");
    await visit.say("may I?");
    await told.waitFor();
    await visit.page.reload();
    await told.waitFor();
    await visit.page.getByRole("button", { name: "ana 的账号" }).click();
    await visit.page.getByRole("button", { name: "English" }).click();
    await visit.page.getByText("Not sent: You're muted in this channel until Feb 3, 2100, 12:00 PM.").waitFor();
  });
});
