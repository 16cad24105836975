import { describe, expect, test } from "bun:test";
import { say } from "../../../server/test/support/say.ts";
import { type Client, eventually } from "../../../server/test/support/servers/test-server.ts";
import { staff } from "../../../server/test/support/staff.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";

const WIDE = { width: 1280, height: 800 };
const SMALL = { width: 320, height: 640 };

describe("display names and statuses in a browser", () => {
  const world = eachServer(undefined, [400]);
  const shows = async (who: Client, name: string, shown: object) =>
    expect((await who.put(`/api/user/${name}`, shown)).status).toBe(200);

  test("a person gives themselves the name 李雷, and others see it live at messages, online, and in the card", async () => {
    const [lilei, ben] = [await world.server.user("lilei"), await world.server.user("ben")];
    await say(lilei, "general", "ni hao");
    const other = await world.open({ as: ben, viewport: WIDE });
    await other.waitFor("ni hao");
    const visit = await world.open({ as: lilei, viewport: WIDE });
    const dialog = await visit.openWindow("lilei", "Your profile");
    const name = dialog.getByLabel("Display name");
    await name.fill("ben");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("looks like somebody else's username").waitFor();
    await name.fill("李雷");
    await dialog.getByRole("button", { name: "Choose an emoji" }).click();
    await visit.page.locator(".emoji-grid button").first().click();
    await dialog.getByLabel("Status", { exact: true }).fill("正在开会");
    await dialog.getByLabel("Ends").selectOption("hour");
    await dialog.getByRole("button", { name: "Save" }).click();
    await visit.waitFor("Your name and status are saved.");
    expect(await axeProblems(visit.page, "dialog")).toEqual([]);
    await visit.page.keyboard.press("Escape");
    await visit.page.locator(".account .name", { hasText: "李雷" }).waitFor();
    const { status } = (await ben.get("/api/user/lilei")).body;
    expect(status).toMatchObject({ emoji: expect.any(String), text: "正在开会", expires_at: expect.any(String) });

    const head = other.message("ni hao").locator(".head");
    await head.getByText("李雷").waitFor();
    expect(await head.locator(".username").innerText()).toBe("@lilei");
    expect(await other.message("ni hao").locator(".avatar").innerText()).toBe("李");
    const listed = other.page.locator(".side .person", { hasText: "李雷" });
    await listed.getByText("正在开会").waitFor();
    await head.getByRole("button", { name: "李雷" }).click();
    const card = other.page.locator(".person-card");
    await card.getByText("@lilei").waitFor();
    await card.getByText("until").waitFor();
    expect(await axeProblems(other.page)).toEqual([]);
  });

  test("names are completed and found by the display name, and what is sent mentions the username", async () => {
    const people = ["lilei", "hanmeimei", "ben"];
    const [lilei, han, ben] = await Promise.all(people.map((name) => world.server.user(name)));
    if (lilei === undefined || han === undefined || ben === undefined) throw new Error("nobody came");
    await shows(lilei, "lilei", { display_name: "李雷" });
    await shows(han, "hanmeimei", { display_name: "韩梅梅" });
    await say(lilei, "general", "wo lai le");
    const visit = await world.open({ as: ben, viewport: WIDE });
    await visit.waitFor("wo lai le");
    await visit.field.pressSequentially("@李");
    const option = visit.page.getByRole("option", { name: "李雷 @lilei" });
    await option.waitFor();
    expect(await visit.page.locator(".completions [role=option]").count()).toBe(1);
    await visit.field.press("Enter");
    expect(await visit.field.inputValue()).toBe("@lilei ");
    // She is not online and has written nothing: the list of members has her name.
    await visit.field.pressSequentially("@韩");
    await visit.page.getByRole("option", { name: "韩梅梅 @hanmeimei" }).waitFor();
    await visit.field.press("Tab");
    await visit.field.press("Enter");
    await visit.page.locator("article.message:not(.pending)", { hasText: "@hanmeimei" }).waitFor();
    const { messages } = (await ben.get("/api/messages?channel_slug=general&limit=1")).body;
    expect(messages[0].mentions.map(({ name }: { name: string }) => name)).toEqual(["lilei", "hanmeimei"]);

    await visit.page.keyboard.press("Control+k");
    const switcher = visit.page.getByRole("dialog");
    await switcher.getByRole("combobox").fill("梅");
    await switcher.getByRole("combobox").fill("韩");
    await switcher.getByRole("option", { name: "韩梅梅 @hanmeimei" }).waitFor();
    await visit.page.keyboard.press("Enter");
    await visit.page.locator("header.bar h2", { hasText: "韩梅梅 @hanmeimei" }).waitFor();
    await visit.page.locator(".channel-link", { hasText: "韩梅梅" }).waitFor();
    await shows(han, "hanmeimei", { status: { emoji: "🌴", text: "On holiday" } });
    await visit.page.locator("header.bar .topic", { hasText: "On holiday" }).waitFor();
  });

  test("two people with the same display name differ by their usernames, also where somebody answers and reacts", async () => {
    const [one, two] = [await world.server.user("katya-k"), await world.server.user("katya-p")];
    for (const [who, name] of [
      [one, "katya-k"],
      [two, "katya-p"],
    ] as const)
      await shows(who, name, { display_name: "Катя" });
    const { message_id } = await say(one, "general", "it is me");
    await say(two, "general", "no, me", { reply_to_id: message_id });
    await two.put(`/api/messages/${message_id}/reactions/like`);
    const visit = await world.open({ as: one, viewport: WIDE });
    await visit.waitFor("no, me");
    const heads = visit.page.locator("article.message .head");
    await eventually("both are named", async () => {
      const all = await heads.allInnerTexts();
      return all.some((text) => text.includes("Катя @katya-k")) && all.some((text) => text.includes("Катя @katya-p"));
    });
    await visit.page.locator(".quote", { hasText: "Катя @katya-k" }).waitFor();
    await visit.message("it is me").locator(".reaction").hover();
    await visit.page.locator(".tooltip", { hasText: "Катя (katya-p)" }).waitFor({ state: "attached" });
  });

  test("a status disappears at its end, without an event", async () => {
    const [ann, ben] = [await world.server.user("ann"), await world.server.user("ben")];
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    await shows(ann, "ann", { status: { text: "Back in an hour", expires_at } });
    const { channel_slug } = (await ben.post("/api/direct", { username: "ann" })).body.channel;
    const visit = await world.open({ as: ben });
    await visit.page.clock.install();
    await visit.page.goto(`${world.server.url}/#/c/${channel_slug}`);
    const status = visit.page.locator("header.bar", { hasText: "Back in an hour" });
    await status.waitFor();
    await visit.page.clock.fastForward(3_500_000);
    expect(await status.count()).toBe(1);
    await visit.page.clock.fastForward(110_000);
    await status.waitFor({ state: "detached" });
  });

  test("a moderator removes an offensive name, which everybody sees at once", async () => {
    const [rude, moderator] = [await world.server.user("rude"), await staff(world.server, "mona", 1)];
    await shows(rude, "rude", { display_name: "Offensive Word" });
    await say(rude, "general", "look at my name");
    const visit = await world.open({ as: moderator, viewport: WIDE });
    const head = visit.message("look at my name").locator(".head");
    await head.getByRole("button", { name: "Offensive Word" }).click();
    await visit.page.getByRole("button", { name: "Remove the display name and status" }).click();
    await visit.page.getByRole("dialog").getByRole("button", { name: "Remove the display name and status" }).click();
    await visit.waitFor("The display name and the status of rude are removed.");
    await head.getByText("Offensive Word").waitFor({ state: "detached" });
    expect(await head.locator(".name").innerText()).toBe("rude");
  });

  test.each(["light", "dark"] as const)(
    "the longest names fit a window of 320 pixels, in the %s theme",
    async (colorScheme) => {
      const [ann, ben] = [await world.server.user("a".repeat(32)), await world.server.user("ben")];
      const status = { emoji: "🌴", text: "W".repeat(80) };
      await shows(ann, "a".repeat(32), { display_name: "李".repeat(48), status });
      await say(ann, "general", "I have a long name");
      await ben.post("/api/direct", { username: "a".repeat(32) });
      const visit = await world.open({ as: ben, viewport: SMALL, colorScheme });
      await visit.waitFor("I have a long name");
      await visit.message("I have a long name").getByText("李").first().waitFor();
      const tooWide = (within: string) =>
        visit.page.evaluate(
          `[...document.querySelectorAll("${within}, ${within} *")].filter((it) =>
          it.getClientRects().length > 0 && it.getBoundingClientRect().right > document.querySelector("${within}").getBoundingClientRect().right + 1
        ).map((it) => it.className + " " + it.textContent.slice(0, 40))`,
        );
      const width = () => visit.page.evaluate("document.documentElement.scrollWidth");
      expect(await width()).toBeLessThanOrEqual(SMALL.width);
      expect(await axeProblems(visit.page)).toEqual([]);
      await visit.message("I have a long name").locator(".head .card-opener").click();
      const card = visit.page.locator(".person-card");
      await card.getByText("W".repeat(80)).waitFor();
      expect(await tooWide(".person-card")).toEqual([]);
      expect(await axeProblems(visit.page)).toEqual([]);
      await visit.page.keyboard.press("Escape");
      const dialog = await visit.openWindow("ben", "Your profile");
      await dialog.getByLabel("Display name").waitFor();
      expect(await tooWide("dialog[open] section.part")).toEqual([]);
      expect(await axeProblems(visit.page, "dialog")).toEqual([]);
    },
  );
});
