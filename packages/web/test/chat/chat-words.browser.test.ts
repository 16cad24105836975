import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { upload } from "../../../server/test/support/files/sent-file.ts";
import { say } from "../../../server/test/support/say.ts";
import { eventually } from "../../../server/test/support/servers/test-server.ts";
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
});
