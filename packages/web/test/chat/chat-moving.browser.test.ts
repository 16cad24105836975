import { beforeEach, describe, expect, test } from "bun:test";
import { issueKey } from "../../../server/src/agents/keys/keys.ts";
import { Client, eventually } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";
import { PHONE } from "../support/touch.ts";

describe("moving around the chat", () => {
  const world = eachServer(undefined, [404]);
  let ana: Client;
  let ben: Client;

  beforeEach(async () => {
    [ana, ben] = [await world.server.user("ana"), await world.server.user("ben")];
    for (const name of ["Attic", "Barn"]) {
      const { body } = await ben.post("/api/channels", { name });
      await ana.post(`/api/channels/${body.channel_id}/join`);
    }
  });

  test("Ctrl+K finds channels, and people outside of them, and goes there by keyboard", async () => {
    await world.server.user("zoe");
    const { page } = await world.open({ as: ana });
    const title = page.getByRole("heading", { level: 2 });
    const switcher = page.getByRole("dialog", { name: "Go to…" });
    const field = switcher.getByRole("combobox");
    const options = switcher.getByRole("option");
    await page.keyboard.press("Control+k");
    await field.fill("bar");
    await options.filter({ hasText: "Barn" }).and(switcher.locator("[aria-selected=true]")).waitFor();
    expect(await axeProblems(page, "dialog")).toEqual([]);
    await page.keyboard.press("Enter");
    await title.filter({ hasText: "Barn" }).waitFor();
    await page.keyboard.press("Control+k");
    await field.fill("zo");
    await options.filter({ hasText: "zoe" }).waitFor();
    await page.keyboard.press("Enter");
    await title.filter({ hasText: "zoe" }).waitFor();
    // What was open lately is offered first, without the open conversation.
    await page.keyboard.press("Control+k");
    await eventually("Barn is first", async () => (await options.first().innerText()).includes("Barn"));
    await page.keyboard.press("Escape");
    await switcher.waitFor({ state: "detached" });
    // Going to the open conversation continues in it, wherever the focus was.
    await page.evaluate("document.activeElement?.blur()");
    await page.keyboard.press("Control+k");
    await field.fill("zoe");
    await options.filter({ hasText: "zoe" }).waitFor();
    await page.keyboard.press("Enter");
    await switcher.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement?.id")).toBe("text");
  });

  test("Alt and arrows go through the channels, ? lists the shortcuts, and typing anywhere writes", async () => {
    const visit = await world.open({ as: ana, at: "#/c/attic" });
    const { page } = visit;
    const title = page.locator(".bar").getByRole("heading");
    await title.filter({ hasText: "Attic" }).waitFor();
    await page.keyboard.press("Alt+ArrowDown");
    await title.filter({ hasText: "Barn" }).waitFor();
    await page.keyboard.press("Alt+ArrowUp");
    await title.filter({ hasText: "Attic" }).waitFor();
    await ben.post("/api/messages", { channel_slug: "barn", content: "anybody?" });
    await page.getByRole("link", { name: /Barn.*1 unread/ }).waitFor();
    await page.keyboard.press("Alt+Shift+ArrowUp");
    await title.filter({ hasText: "Barn" }).waitFor();
    await visit.message("anybody?").focus();
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.getByText("Next unread channel").waitFor();
    expect(await axeProblems(page, "dialog")).toEqual([]);
    await page.keyboard.type("x");
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    await page.keyboard.type("ok?");
    expect(await visit.field.inputValue()).toBe("ok?");
  });

  test("on a phone, a button opens the switcher, and + begins a conversation with somebody who is online", async () => {
    const peer = await world.open({ as: ben });
    const { page } = await world.open({ as: ana, ...PHONE });
    await page.getByRole("button", { name: "Open the channel list" }).tap();
    await page.getByRole("button", { name: "Go to a channel or person" }).tap();
    const switcher = page.getByRole("dialog", { name: "Go to…" });
    await switcher.getByRole("option", { name: "Barn" }).waitFor();
    await switcher.getByRole("button", { name: "Close" }).tap();
    await page.getByRole("button", { name: "New direct message" }).tap();
    const chooser = page.getByRole("dialog", { name: "New direct message" });
    await chooser.getByRole("combobox").fill("be");
    await chooser.getByRole("option", { name: "ben" }).tap();
    await page.getByRole("heading", { level: 2, name: "ben" }).waitFor();
    await page.getByRole("button", { name: "Open the channel list" }).tap();
    const link = page.locator(".channel-link", { hasText: "ben" });
    await link.getByText("online").waitFor();
    await peer.page.close();
  });

  test("a press on a sender, a mention or a name opens a card, from which one can act", async () => {
    const { server } = world;
    const { api_key } = await issueKey(server.ctx, { agentName: "Scout", ownerUsername: "ben" });
    const scout = new Client(server.url, { authorization: `Bearer ${api_key}` });
    await scout.post("/api/agenthub/login", { channel_slug: "barn", agent_name: "Scout" });
    const message = "ask @ben, he knows";
    await scout.post("/api/agenthub/send", { channel_slug: "barn", agent_name: "Scout", message });
    const visit = await world.open({ as: ana, at: "#/c/barn", viewport: { width: 1280, height: 800 } });
    const { page } = visit;
    const card = (name: string) => page.getByRole("dialog", { name, exact: true });
    await visit.message("ask @ben").getByRole("button", { name: "Scout" }).click();
    await card("Scout").getByText("Agent of ben").waitFor();
    await card("Scout").getByText("Joined").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await card("Scout").waitFor({ state: "detached" });
    await visit.message("ask @ben").getByRole("button", { name: "@ben" }).click();
    await card("ben").getByText("Level 0").waitFor();
    await card("ben").getByRole("button", { name: "Mention" }).click();
    await eventually("it is written", async () => (await visit.field.inputValue()) === "@ben ");
    await visit.message("ask @ben").focus();
    await page.keyboard.press("c");
    await card("Scout").getByRole("button", { name: "Report" }).click();
    await page.getByRole("dialog", { name: "Report" }).getByRole("button", { name: "Close" }).click();
    await page.locator(".side .person", { hasText: "Scout" }).getByText("Scout").click();
    await card("Scout").getByText("Agent of ben").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /members?$/ }).click();
    await page.getByRole("dialog", { name: "Members" }).locator(".person", { hasText: "ben" }).getByText("ben").click();
    await card("ben").getByRole("button", { name: "Send a direct message" }).click();
    await page.getByRole("heading", { level: 2, name: "ben" }).waitFor();
  });

  test("on a phone a card is a sheet", async () => {
    await ben.post("/api/messages", { channel_slug: "barn", content: "hello" });
    const visit = await world.open({ as: ana, at: "#/c/barn", ...PHONE });
    const { page } = visit;
    await visit.message("hello").locator(".head").getByRole("button", { name: "ben" }).tap();
    const sheet = page.getByRole("dialog", { name: "ben" });
    await sheet.getByText("Joined").waitFor();
    expect(await axeProblems(page, "dialog")).toEqual([]);
    await sheet.getByRole("button", { name: "Send a direct message" }).tap();
    await page.getByRole("heading", { level: 2, name: "ben" }).waitFor();
  });
});
