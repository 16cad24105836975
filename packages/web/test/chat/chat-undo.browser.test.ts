import { describe, expect, test } from "bun:test";
import { say } from "../../../server/test/support/say.ts";
import { type Client, eventually, logIn, startTestServer } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";

const SHOTS = process.env.PARLEY_TEST_SHOTS;
const NARROW = { viewport: { width: 320, height: 640 }, colorScheme: "dark" } as const;

describe("deleting one's own message", () => {
  const world = eachServer(startTestServer, [404]);

  const isDeleted = async (who: Client, id: number): Promise<boolean> =>
    (await who.get(`/api/messages?channel_slug=general&ids=${id}`)).body.messages[0].is_deleted;

  test("it is hidden at once, said, and undone by keyboard; others have seen it all the time", async () => {
    const ann = await world.server.user("ann");
    const { message_id: id } = await say(ann, "general", "A slip of mine");
    const visit = await world.open({ as: ann, at: "#/c/general", ...NARROW });
    const { page } = visit;
    await page.clock.install();
    const row = page.locator(`article[data-id="${id}"]`);
    await row.getByText("A slip of mine").waitFor();
    await visit.act(row, "More", "Delete");
    await row.getByText("This message was deleted.").waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    const said = page.getByRole("status").filter({ hasText: "Message deleted." });
    await said.getByRole("button", { name: "Undo" }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/undo.png` });
    expect(await page.evaluate("document.activeElement.dataset.id")).toBe(String(id));
    await page.keyboard.press("Control+z");
    await row.getByText("A slip of mine").waitFor();
    await said.waitFor({ state: "detached" });
    await page.clock.runFor(60_000);
    expect(await isDeleted(ann, id)).toBe(false);
    expect(await page.evaluate("document.activeElement.dataset.id")).toBe(String(id));
    // By the button, which holds the clock while it has the focus.
    await visit.act(row, "More", "Delete");
    const undo = said.getByRole("button", { name: "Undo" });
    await undo.focus();
    await page.clock.runFor(30_000);
    await page.keyboard.press("Enter");
    await row.getByText("A slip of mine").waitFor();
    expect(await isDeleted(ann, id)).toBe(false);
  });

  test("it is deleted for everybody after some seconds, and stays hidden here", async () => {
    const [ann, ben] = [await world.server.user("ann"), await world.server.user("ben")];
    const { message_id: id } = await say(ann, "general", "Gone in six seconds");
    const other = await world.open({ as: ben, at: "#/c/general" });
    const visit = await world.open({ as: ann, at: "#/c/general" });
    const { page } = visit;
    await page.clock.install();
    await visit.act("Gone in six", "More", "Delete");
    await visit.waitFor("This message was deleted.");
    await other.message("Gone in six").waitFor();
    await page.clock.runFor(7_000);
    await other.waitFor("This message was deleted.");
    expect(await isDeleted(ann, id)).toBe(true);
    await page.getByText("Message deleted.").waitFor({ state: "detached" });
    expect(await page.evaluate("Object.keys(localStorage).filter((it) => it.includes('delete:'))")).toEqual([]);
    expect(await visit.message("Gone in six").count()).toBe(0);
  });

  test("it is not lost when the page closes, and not when the user logs out", async () => {
    const ann = await world.server.user("ann");
    const { message_id: first } = await say(ann, "general", "Closed with the page");
    const { message_id: second } = await say(ann, "general", "Before the logout");
    const visit = await world.open({ as: ann, at: "#/c/general" });
    await visit.act("Closed with", "More", "Delete");
    await visit.waitFor("This message was deleted.");
    await visit.page.goto("about:blank");
    await eventually("it is deleted", () => isDeleted(ann, first));
    const own = await logIn(world.server.url, "ann");
    const again = await world.open({ as: own, at: "#/c/general" });
    await again.act("Before the logout", "More", "Delete");
    await again.page.getByText("This message was deleted.").nth(1).waitFor();
    await again.page.getByRole("button", { name: "Account menu of ann" }).click();
    await again.page.getByRole("button", { name: "Log out" }).click();
    await eventually("it is deleted", () => isDeleted(ann, second));
  });

  test("what a page could not send any more, the next one does; what is refused is shown again", async () => {
    const ann = await world.server.user("ann");
    const { message_id: id } = await say(ann, "general", "Its page died");
    const visit = await world.open({ as: ann, at: "#/c/general" });
    const { page } = visit;
    await page.evaluate(`localStorage.setItem("parley.delete:ann:${id}", String(Date.now() - 20_000))`);
    await page.reload();
    await visit.waitFor("This message was deleted.");
    await eventually("it is forgotten", async () =>
      page.evaluate(`localStorage.getItem("parley.delete:ann:${id}") === null`),
    );
    expect(await isDeleted(ann, id)).toBe(true);
    await say(ann, "general", "Not to be deleted");
    await page.route("**/api/messages/*", (route) =>
      route.fulfill({ status: 404, json: { code: "channel_not_found", error: "Gone." } }),
    );
    await page.clock.install();
    await visit.act("Not to be", "More", "Delete");
    await visit.message("Not to be").waitFor({ state: "detached" });
    await page.clock.runFor(7_000);
    await visit.message("Not to be").waitFor();
  });
});
