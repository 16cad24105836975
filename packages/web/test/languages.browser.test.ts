import { describe, expect, test } from "bun:test";
import { staff } from "../../server/test/support/staff.ts";
import { EN_TEXTS } from "../src/i18n/en/texts.ts";
import { LANGUAGES, type Language } from "../src/i18n/languages.ts";
import { withEnglish } from "../src/i18n/with-english.ts";
import { eachServer } from "./support/browser-world.ts";
import type { ChatVisit } from "./support/chat-visit.ts";
import { englishOnly, foreignWords } from "./support/foreign-words.ts";

const LOCALES = [
  ["zh", "zh-CN"],
  ["es", "es-MX"],
] as const;

/** All texts of the chat in a language. */
const textsOf = async (language: Language): Promise<typeof EN_TEXTS> =>
  withEnglish(EN_TEXTS, {
    ...(await LANGUAGES[language].texts?.()),
    notifications: await LANGUAGES[language].notifications?.(),
  });

describe("the search for English", () => {
  const world = eachServer();

  test("finds the texts of the page in English", async () => {
    const { page } = await world.open({ locale: "en-GB" });
    const found = await foreignWords(page, await englishOnly("es"));
    expect(found).toContain("You're browsing as a guest.");
    expect(found).toContain(EN_TEXTS.chat.composer.guest);
    expect(found.length).toBeGreaterThan(10);
  });
});

describe.each(LOCALES)("the page in %s shows no English", (language, locale) => {
  const world = eachServer();
  const known = englishOnly(language);
  const texts = textsOf(language);

  const look = async ({ page }: ChatVisit, where: string): Promise<void> => {
    expect([where, await foreignWords(page, await known)]).toEqual([where, []]);
  };

  /** A channel with messages of each kind, a thread, and an agent. */
  async function furnish() {
    const rosa = await staff(world.server, "rosa", 3);
    const ben = await world.server.user("ben");
    const scout = await world.server.agent("Scout");
    await scout.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Scout" });
    const { body: hall } = await rosa.post("/api/channels", { name: "Zulo", topic: "Ñandú" });
    const say = async (content: string, more = {}) =>
      (await rosa.post("/api/messages", { channel_slug: "zulo", content, ...more })).body.message_id as number;
    const first = await say("primero");
    await say("eco", { reply_to_id: first });
    await rosa.post("/api/messages", { channel_slug: "zulo", content: "dentro", thread_root_id: first });
    await rosa.put(`/api/messages/${first}/reactions/%F0%9F%91%8D`);
    await rosa.post(`/api/messages/${first}/pin`);
    await rosa.delete(`/api/messages/${await say("borrado")}`);
    await ben.post(`/api/channels/${hall.channel_id}/join`);
    await ben.post("/api/messages", { channel_slug: "zulo", content: "@rosa ¿?" });
    return { rosa, ben };
  }

  test("in a channel, its panels and dialogs", async () => {
    const { rosa } = await furnish();
    const { chat, parts } = { chat: (await texts).chat, parts: await texts };
    const visit = await world.open({ as: rosa, at: "#/c/zulo", locale });
    const { page } = visit;
    await visit.waitFor("eco");
    expect(await page.evaluate("document.documentElement.lang")).toBe(LANGUAGES[language].tag ?? language);
    await look(visit, "channel");
    await visit.act(
      page.locator("article.message:not(.pending)", { has: page.locator(".body", { hasText: "eco" }) }),
      chat.app.more,
    );
    await page.getByRole("button", { name: chat.messages.link }).waitFor();
    await look(visit, "menu of a message");
    await page.keyboard.press("Escape");
    for (const panel of [chat.messages.search, chat.messages.pins, chat.files.title]) {
      await page.getByRole("button", { name: panel, exact: true }).first().click();
      await page.locator(".side").first().waitFor();
      await page
        .locator(".side summary")
        .first()
        .click({ timeout: 500 })
        .catch(() => {});
      await look(visit, panel);
    }
    await page.locator("#toggle-people, [aria-controls=people], button:has(.number)").first().click();
    await page.locator(".side .person").first().waitFor();
    await look(visit, "people");
    for (const opener of [chat.channels.settings, chat.channels.create]) {
      await page.getByRole("button", { name: opener, exact: true }).first().click();
      await page.getByRole("dialog").waitFor();
      for (const summary of await page.getByRole("dialog").locator("summary").all()) await summary.click();
      await look(visit, opener);
      await page.getByRole("dialog").getByRole("button", { name: chat.app.close }).first().click();
    }
    await page.getByRole("button", { name: chat.composer.emoji, exact: true }).first().click();
    await page.getByPlaceholder(parts.emoji.search).or(page.getByLabel(parts.emoji.search)).first().waitFor();
    await look(visit, "emoji");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: chat.composer.packet, exact: true }).first().click();
    await page.getByRole("dialog").waitFor();
    await look(visit, "new red packet");
  });

  test("in the lists beside the channels and the windows of the account", async () => {
    const { rosa } = await furnish();
    const { chat, windows, navigation, catchUp } = await texts;
    const visit = await world.open({ as: rosa, at: "#/c/general", locale });
    const { page } = visit;
    const close = async () => {
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    };
    await page
      .getByRole("button", { name: new RegExp(`^${chat.calls.title}`) })
      .first()
      .click();
    await page.getByText("rosa", { exact: false }).first().waitFor();
    await look(visit, "notifications");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: navigation.switcher.title }).waitFor();
    await look(visit, "switcher");
    await close();
    await page.keyboard.press("Control+j");
    await page.getByRole("heading", { name: catchUp.title }).waitFor();
    await look(visit, "catch up");
    const menu = async () => page.getByRole("button", { name: chat.account.menu("rosa") }).click();
    const openWindow = async (name: string) => {
      await menu();
      await page.getByRole("button", { name, exact: true }).click();
      return page.getByRole("dialog", { name });
    };
    await menu();
    await page.getByText(chat.app.theme, { exact: true }).waitFor();
    await look(visit, "account menu");
    await page.keyboard.press("Escape");
    const help = await openWindow(chat.app.shortcuts);
    await help.waitFor();
    await look(visit, "shortcuts");
    await close();
    for (const [name, tabs] of [
      [chat.account.profile, windows.profile.tabs],
      [chat.account.administration, windows.admin.tabs],
    ] as const) {
      const dialog = await openWindow(name);
      await dialog.waitFor();
      for (const tab of Object.values(tabs)) {
        const button = dialog.getByRole("tab", { name: tab, exact: true });
        if ((await button.count()) === 0) continue;
        await button.click();
        await dialog.getByText(chat.app.loading).waitFor({ state: "detached" });
        await look(visit, `${name}, ${tab}`);
      }
      await close();
    }
    await (await openWindow(chat.account.agents)).waitFor();
    await look(visit, "agents");
  });

  test("to guests, in the dialog of new accounts and on the page at /claim", async () => {
    const { chat } = await texts;
    const visit = await world.open({ locale });
    const { page } = visit;
    await look(visit, "guest");
    await page.getByRole("button", { name: chat.account.register }).first().click();
    await page.getByRole("dialog").waitFor();
    await look(visit, "new account");
    await page.goto(`${world.server.url}/claim`);
    await page.locator("#owner:not(:empty)").waitFor();
    await page.locator("html[data-theme]").waitFor();
    for (const summary of await page.locator("summary:visible").all()) await summary.click();
    await look(visit, "claim");
  });
});
