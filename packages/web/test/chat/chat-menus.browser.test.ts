import { beforeEach, describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { type Client, eventually, startTestServer } from "../../../server/test/support/servers/test-server.ts";
import { type TestBot, testBot } from "../../../server/test/support/telegram.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";
import type { ChatVisit } from "../support/chat-visit.ts";
import { PHONE } from "../support/touch.ts";

const CHAT = "@general";

describe("menus of bots in a browser", () => {
  const world = eachServer(startTestServer, [400, 409]);
  let ana: Client;
  let bot: TestBot;

  beforeEach(async () => {
    ana = await world.server.user("ana");
    bot = await testBot(world.server, "Guide");
  });

  const menuIn = ({ page }: ChatVisit): Locator => page.locator("#conversation .bot-menu").last();
  const shot = async ({ page }: ChatVisit, name: string) => {
    if (process.env.PARLEY_SHOTS) await page.screenshot({ path: `${process.env.PARLEY_SHOTS}/${name}.png` });
  };
  const send = (text: string, reply_markup: object) => bot.ask("sendMessage", { chat_id: CHAT, text, reply_markup });
  const menu = (...rows: string[][]) => ({
    inline_keyboard: rows.map((row) => row.map((text) => ({ text, callback_data: text }))),
  });
  /** Returns the next press, and confirms it. */
  const nextPress = async () => {
    const [update] = await bot.ask("getUpdates", { timeout: 20 });
    await bot.ask("getUpdates", { offset: update.update_id + 1, limit: 1 });
    return update.callback_query;
  };

  test("a press waits for the bot, whose answer is a notice or an alert, and the edit replaces the buttons", async () => {
    const { message_id } = await send("Which page?", menu(["One", "Two"], ["More"]));
    const visit = await world.open({ as: ana });
    const buttons = menuIn(visit).getByRole("button");
    await buttons.first().waitFor();
    expect(await buttons.allInnerTexts()).toEqual(["One", "Two", "More"]);
    expect(await axeProblems(visit.page)).toEqual([]);
    // With the keyboard alone.
    const two = menuIn(visit).getByRole("button", { name: "Two" });
    await two.focus();
    await visit.page.keyboard.press("Enter");
    const query = await nextPress();
    expect(query).toMatchObject({ data: "Two", message: { message_id } });
    expect(await two.getAttribute("aria-busy")).toBe("true");
    await shot(visit, "menu-waiting");
    await bot.ask("answerCallbackQuery", { callback_query_id: query.id, text: "Page two it is" });
    await visit.page.locator(".notice").getByText("Page two it is").waitFor();
    expect(await two.getAttribute("aria-busy")).toBe("false");
    expect(await visit.page.evaluate("document.activeElement.textContent")).toBe("Two");

    await menuIn(visit).getByRole("button", { name: "More" }).click();
    const alerting = { callback_query_id: (await nextPress()).id, text: "There is no more", show_alert: true };
    await bot.ask("answerCallbackQuery", alerting);
    const dialog = visit.page.getByRole("dialog");
    await dialog.getByText("There is no more").waitFor();
    await shot(visit, "menu-alert");
    await dialog.getByRole("button", { name: "OK" }).click();
    await dialog.waitFor({ state: "detached" });

    await bot.ask("editMessageText", { chat_id: CHAT, message_id, text: "Page two", reply_markup: menu(["Back"]) });
    await menuIn(visit).getByRole("button", { name: "Back" }).waitFor();
    expect(await buttons.count()).toBe(1);
    await bot.ask("editMessageReplyMarkup", { chat_id: CHAT, message_id });
    await eventually("the buttons are gone", async () => (await visit.page.locator(".bot-menu").count()) === 0);
  });

  test("many buttons fit on a phone in the dark, and a guest reads why they are off", async () => {
    const row = (name: string) => Array.from({ length: 8 }, (_, at) => `${name}${at + 1}`);
    await send(
      "Pick a date",
      menu(row("M"), row("T"), ["A long label that needs more than one line on a phone", "Ok"]),
    );
    const visit = await world.open({ as: ana, colorScheme: "dark", ...PHONE });
    await menuIn(visit).getByRole("button", { name: "M8" }).waitFor();
    expect(await visit.page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    expect(await axeProblems(visit.page)).toEqual([]);
    await shot(visit, "menu-phone");
    const guest = await world.open({});
    await menuIn(guest).getByText("Log in to use these buttons.").waitFor();
    expect(await menuIn(guest).getByRole("button", { name: "M8" }).isDisabled()).toBe(true);
  });

  test("a keyboard above the composer sends its texts, once or until it is removed", async () => {
    await send("Tea or coffee?", {
      keyboard: [["Tea", "Coffee"]],
      one_time_keyboard: true,
      input_field_placeholder: "Drink",
    });
    const visit = await world.open({ as: ana });
    const keyboard = visit.page.getByRole("group", { name: "Buttons of Guide" });
    await keyboard.getByRole("button", { name: "Tea" }).waitFor();
    await visit.page.getByPlaceholder("Drink").waitFor();
    expect(await axeProblems(visit.page)).toEqual([]);
    await shot(visit, "keyboard");
    await keyboard.getByRole("button", { name: "Tea" }).press("Enter");
    await visit.page.locator("#conversation .message").getByText("Tea", { exact: true }).waitFor();
    await keyboard.waitFor({ state: "detached" });
    await visit.page.reload();
    await visit.page.locator("#conversation .message").getByText("Tea", { exact: true }).waitFor();
    expect(await keyboard.count()).toBe(0);

    await send("Sugar?", { keyboard: [["Yes"], ["No"]] });
    await keyboard.getByRole("button", { name: "No" }).click();
    await keyboard.getByRole("button", { name: "No" }).waitFor();
    await send("Thank you", { remove_keyboard: true });
    await keyboard.waitFor({ state: "detached" });
  });

  test("a keyboard is shown although its message is older than those that are loaded", async () => {
    // It asks for replies.
    await bot.ask("getUpdates");
    await send("Tea or coffee?", { keyboard: [["Tea", "Coffee"]], input_field_placeholder: "Drink" });
    for (let n = 0; n < 120; n++) await ana.post("/api/messages", { channel_slug: "general", content: `number ${n}` });
    const visit = await world.open({ as: ana });
    const keyboard = visit.page.getByRole("group", { name: "Buttons of Guide" });
    await keyboard.getByRole("button", { name: "Coffee" }).click();
    await visit.page.locator("#conversation .message").getByText("Coffee", { exact: true }).waitFor();
    const update = await eventually("the bot hears it", async () => (await bot.ask("getUpdates"))[0]);
    expect(update.message).toMatchObject({ text: "Coffee", reply_to_message: { text: "Tea or coffee?" } });
    await send("Thank you", { remove_keyboard: true });
    await keyboard.waitFor({ state: "detached" });
  });
});
