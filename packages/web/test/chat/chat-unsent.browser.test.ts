import { beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { type Line, lineOf } from "../../../server/test/support/browser/line.ts";
import { type Client, eventually } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";
import type { ChatVisit } from "../support/chat-visit.ts";

describe("unsent messages in a browser", () => {
  const world = eachServer();
  let boss: Client;
  let ana: Client;
  let hall: number;

  beforeEach(async () => {
    [boss, ana] = [await world.server.user("boss"), await world.server.user("ana")];
    hall = (await boss.post("/api/channels", { name: "Hall" })).body.channel_id;
  });

  /** Opens a page for ana whose connection can be cut without either end noticing. */
  async function onLine(): Promise<{ visit: ChatVisit; line: Line }> {
    const visit = await world.open({ as: ana, at: "#/c/hall" });
    const line = await lineOf(visit.page);
    await reload(visit);
    return { visit, line };
  }
  async function reload(visit: ChatVisit): Promise<void> {
    await visit.page.reload();
    await visit.live();
    await visit.field.waitFor();
  }
  const stored = async (): Promise<string[]> => {
    const { body } = await ana.get("/api/messages?channel_id=hall&limit=200");
    return body.messages.map(({ content }: { content: string }) => content);
  };
  const kept = (page: Page) =>
    page.evaluate("Object.keys(localStorage).filter((name) => name.includes('send:')).length");
  const pace = (slow_mode_seconds: number) => boss.put(`/api/channels/${hall}`, { slow_mode_seconds });

  test("a message whose response was lost with the page is in the channel once and no longer pending", async () => {
    const { visit, line } = await onLine();
    line.down = false;
    await visit.say("only once");
    await visit.page.locator(".pending", { hasText: "only once" }).waitFor();
    await eventually("the server has it", async () => (await stored()).includes("only once"));
    expect(await kept(visit.page)).toBe(1);
    line.down = true;
    await reload(visit);
    await eventually("it is settled", async () => (await kept(visit.page)) === 0);
    await eventually("it is shown as sent", async () => (await visit.texts()).includes("only once"));
    expect(await visit.page.locator(".pending").count()).toBe(0);
    expect(await stored()).toEqual(["only once"]);
  });

  test("a message that was not sent is shown after a reload and sent, before later ones", async () => {
    const { visit, line } = await onLine();
    line.up = false;
    await visit.say("one");
    await visit.say("two");
    await eventually("both are kept", async () => (await kept(visit.page)) === 2);
    expect(await stored()).toEqual([]);
    line.up = true;
    await reload(visit);
    await eventually("both are in the channel", async () => (await stored()).length === 2);
    expect(await stored()).toEqual(["one", "two"]);
    await eventually("both are shown as sent", async () => (await visit.texts()).join() === "one,two");
    expect(await visit.page.locator(".pending").count()).toBe(0);
    expect(await kept(visit.page)).toBe(0);
  });

  test("a refused message is still there after a reload, to resend or discard, and only its author sees it", async () => {
    const { visit } = await onLine();
    const { page } = visit;
    await pace(600);
    await visit.say("said");
    await eventually("that was in time", async () => (await visit.texts()).includes("said"));
    const refused = page.locator(".failed");
    for (const text of ["may I?", "never mind"]) {
      await visit.say(text);
      await refused.filter({ hasText: text }).getByText("Not sent:").waitFor();
    }
    await reload(visit);
    await refused.filter({ hasText: "may I?" }).getByText("Not sent:").waitFor();
    await refused.filter({ hasText: "never mind" }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await refused.filter({ hasText: "never mind" }).getByRole("button", { name: "Discard" }).click();
    await eventually("one is left", async () => (await refused.count()) === 1);

    // Another user in the same browser.
    const [name = "", value = ""] = ((await world.server.user("ben")).credential.cookie ?? "").split("=");
    const mine = await page.context().cookies();
    await page.context().addCookies([{ name, value, url: world.server.url }]);
    await reload(visit);
    await page.getByRole("button", { name: "Account menu of ben" }).waitFor();
    await visit.waitFor("said");
    expect(await page.locator(".pending").count()).toBe(0);
    await page.context().addCookies(mine);
    await reload(visit);
    await refused.filter({ hasText: "may I?" }).waitFor();
    expect(await refused.count()).toBe(1);
    await pace(0);
    await refused.getByRole("button", { name: "Try again" }).click();
    await eventually("it is in the channel", async () => (await stored()).includes("may I?"));
    await refused.waitFor({ state: "detached" });
    await eventually("nothing is kept any more", async () => (await kept(page)) === 0);
  });

  test("an old unsent message waits for the user, and can be discarded without a connection", async () => {
    const { visit, line } = await onLine();
    const { page } = visit;
    line.up = false;
    await visit.say("yesterday's news");
    await eventually("it is kept", async () => (await kept(page)) === 1);
    await page.evaluate(`for (const [name, text] of Object.entries(localStorage))
      if (name.includes("send:")) localStorage.setItem(name, JSON.stringify({ ...JSON.parse(text), at: Date.now() - 864e5 }))`);
    line.up = true;
    await reload(visit);
    const row = page.locator(".failed", { hasText: "yesterday's news" });
    await row.getByText("Not sent:").waitFor();
    expect(await stored()).toEqual([]);
    await row.getByRole("button", { name: "Try again" }).click();
    await eventually("now it is wanted", async () => (await stored()).length === 1);
    await row.waitFor({ state: "detached" });

    // Invalid or of another version: nothing is shown and nothing breaks.
    await page.evaluate(`for (const [n, text] of ["{", "null", "[]", '{"content":5,"at":1}', '{"content":"","at":1}'].entries())
      localStorage.setItem("parley.send:ana:${hall}:bad" + n, text)`);
    await reload(visit);
    expect(await page.locator(".pending").count()).toBe(0);

    await line.cut(true);
    await page.locator(".connection:not([data-state=live])").waitFor({ state: "attached" });
    await visit.say("second thoughts");
    const waiting = page.locator(".pending", { hasText: "second thoughts" });
    await waiting.getByRole("button", { name: "Discard" }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await waiting.getByRole("button", { name: "Discard" }).click();
    await waiting.waitFor({ state: "detached" });
    await line.cut(false);
    await reload(visit);
    await visit.say("last words");
    await eventually("what is wanted arrives", async () => (await stored()).includes("last words"));
    expect(await stored()).toEqual(["yesterday's news", "last words"]);
  });
});
