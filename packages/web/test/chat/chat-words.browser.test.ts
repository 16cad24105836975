import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { asked } from "../../../server/test/support/cards.ts";
import { upload } from "../../../server/test/support/files/sent-file.ts";
import { say } from "../../../server/test/support/say.ts";
import { eventually } from "../../../server/test/support/servers/test-server.ts";
import { staff } from "../../../server/test/support/staff.ts";
import { eachServer } from "../support/browser-world.ts";

const PICTURE = join(import.meta.dir, "../../../../docs/images/phone.png");

/** Places where the page says what is the case, and no more. */
describe("what the page says", () => {
  const world = eachServer();

  test("the name of a channel stays whole while its topic shrinks", async () => {
    const ann = await world.server.user("ann");
    await ann.post("/api/channels", { name: "A rather long name of a channel", topic: "topic ".repeat(40) });
    const { page } = await world.open({ as: ann, at: "#/c/a-rather-long-name-of-a-channel" });
    const title = page.locator(".bar h2 bdi");
    await title.waitFor();
    const cut = "(it) => it.scrollWidth > it.clientWidth";
    expect(await title.evaluate(`(${cut})(document.querySelector(".bar h2"))`)).toBe(false);
    expect(await page.evaluate(`(${cut})(document.querySelector(".bar .topic"))`)).toBe(true);
  });

  test("messages are said to be kept only where they are, and a private channel begins with a lock", async () => {
    const ann = await world.server.user("ann");
    await ann.post("/api/channels", { name: "Kept" });
    await ann.post("/api/channels", { name: "Cleared", is_private: true, retention_days: 30 });
    const { page } = await world.open({ as: ann, at: "#/c/kept" });
    await page.getByText("Say hello! Messages here are kept.").waitFor();
    await page.goto(`${world.server.url}/#/c/cleared`);
    await page.locator(".start").getByText("Say hello!", { exact: true }).waitFor();
    await page.locator(".start").getByText("Messages are deleted after 30 days.").waitFor();
    expect(await page.locator(".start > .hash svg").count()).toBe(1);
    await page.getByRole("heading", { name: "This is the start of Cleared." }).waitFor();
  });

  test("a picture is announced by what it is", async () => {
    const [ann, ben] = [await world.server.user("ann"), await world.server.user("ben")];
    const { page } = await world.open({ as: ann, at: "#/c/general" });
    const { body } = await upload(ben, await Bun.file(PICTURE).bytes(), "harbour.png");
    await say(ben, "general", "", { file_ids: [body.file.file_id] });
    const said = page.locator(".conversation > p.visually-hidden[aria-live=polite]");
    await eventually("it is announced", async () => /ben: .*harbour\.png/.test((await said.textContent()) ?? ""));
  });

  test("a quote is nearer to the message that quotes than to the one above", async () => {
    const ann = await world.server.user("ann");
    const first = await say(ann, "general", "The first.");
    await say(ann, "general", "The one above.");
    await say(ann, "general", "The one that quotes.", { reply_to_id: first.message_id });
    const visit = await world.open({ as: ann, at: "#/c/general" });
    const box = async (text: string) => visit.placeOf(visit.page.locator(".message .body", { hasText: text }));
    await visit.waitFor("The one that quotes.");
    const above = await box("The one above.");
    const quote = await visit.placeOf(visit.page.locator(".message .quote"));
    const name = await visit.placeOf(visit.message("The one that quotes.").locator(".head"));
    expect(quote.y - (above.y + above.height)).toBeGreaterThan(4 * (name.y - (quote.y + quote.height)) + 4);
  });

  test("an invitation says when its link works on this machine only", async () => {
    const ann = await world.server.user("ann");
    const { page } = await world.open({ as: ann, at: "#/c/general" });
    await page.locator(".sidebar").getByRole("button", { name: "Invite people" }).click();
    await page.getByRole("dialog").getByText("works on this machine only").waitFor();
  });

  test("a search names the operator that it does not know", async () => {
    const ann = await world.server.user("ann");
    const { page } = await world.open({ as: ann, at: "#/c/general" });
    await page.locator("header.bar").getByRole("button", { name: "Search" }).click();
    await page.getByRole("searchbox").fill("larger:5M boats");
    await page.keyboard.press("Enter");
    await page.locator("aside").getByText('"larger:" is no filter').waitFor();
    await page.getByRole("searchbox").fill("at 12:30 https://a.example");
    await page.keyboard.press("Enter");
    await page.locator("aside").getByText("is no filter").waitFor({ state: "detached" });
  });

  test("a red packet and a card are announced by what they are", async () => {
    const [ann, ben] = [await world.server.user("ann"), await world.server.user("ben")];
    const agent = await world.server.agent("Shipper");
    const { page } = await world.open({ as: ann, at: "#/c/general" });
    const said = page.locator(".conversation > p.visually-hidden[aria-live=polite]");
    expect((await ben.post("/api/red-packets", { channel_slug: "general", total_amount: "10", count: 2 })).status).toBe(
      201,
    );
    await eventually("the packet is announced", async () => /ben: Red packet/.test((await said.textContent()) ?? ""));
    await asked(agent, { interaction: { who: { users: ["ann"] } } });
    await eventually("the card is announced", async () =>
      /: Deploy 2.4 to production\? Card with buttons$/.test((await said.textContent()) ?? ""),
    );
  });

  test("who sends a red packet while scrolled up sees it", async () => {
    const ann = await world.server.user("ann");
    for (let n = 0; n < 40; n++) await say(ann, "general", `Line ${n}.`);
    const visit = await world.open({ as: ann, at: "#/c/general" });
    await visit.waitFor("Line 39.");
    await visit.page.locator("#conversation").hover();
    await visit.page.mouse.wheel(0, -900);
    await visit.page.locator(".jumps .jump").waitFor();
    await visit.page.getByRole("button", { name: "Send a red packet" }).click();
    const form = visit.page.getByRole("dialog", { name: "New red packet" });
    await form.getByLabel("Amount").fill("10");
    await form.getByRole("button", { name: "Send red packet" }).click();
    await form.waitFor({ state: "detached" });
    await visit.page.locator(".packet").waitFor();
    await eventually("it is in view", () =>
      visit.page.evaluate("document.querySelector('.packet')?.getBoundingClientRect().bottom <= innerHeight"),
    );
  });

  test("reactions and the audit log have no words of the code", async () => {
    const ruth = await staff(world.server, "ruth", 3);
    const message = await say(ruth, "general", "Who likes cake?");
    await ruth.put(`/api/messages/${message.message_id}/reactions/like`);
    await world.server.user("ann");
    await staff(world.server, "mona", 1);
    expect((await ruth.put("/api/admin/users/mona", { admin_level: 2 })).status).toBe(200);
    const visit = await world.open({ as: ruth, at: "#/c/general" });
    const { page } = visit;
    await page.locator(".message").getByRole("button", { name: "👍: 1" }).waitFor();
    expect(await page.locator(".message :is([aria-label*=like i], [title*=like i])").count()).toBe(0);
    const dialog = await visit.openWindow("ruth", "Administration");
    await dialog.getByRole("tab", { name: "Audit log" }).click();
    const line = dialog.locator(".audit li").first();
    await line.waitFor();
    expect(await line.innerText()).toMatch(/ruth changed the level of mona\s*from: 1 · to: 2/);
    expect(await dialog.locator(".audit [title]").count()).toBe(0);
    // Times are in words. The name that a program gave to a button is not shown.
    const agent = await world.server.agent("Shipper");
    await asked(agent, { interaction: { who: { users: ["ruth"] } } });
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Not now", exact: true }).click();
    const until = new Date(Date.now() + 86_400_000).toISOString();
    expect((await ruth.put("/api/admin/users/ann", { suspended_until: until })).status).toBe(200);
    const again = await visit.openWindow("ruth", "Administration");
    await again.getByRole("tab", { name: "Audit log" }).click();
    await again.locator(".audit li", { hasText: "suspended ann" }).waitFor();
    await again.locator(".audit li", { hasText: "decided the card" }).waitFor();
    expect(await again.locator(".audit").innerText()).not.toMatch(/\d{4}-\d\d-\d\dT|deny|action|_/);
  });
});
