import { describe, expect, test } from "bun:test";
import { say } from "../../../server/test/support/say.ts";
import { eventually } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";

const SHOTS = process.env.PARLEY_TEST_SHOTS;
const NARROW = { viewport: { width: 320, height: 640 }, colorScheme: "dark" } as const;
const STREAMS = "/api/agenthub/streams";
/** Forty lines that end with a word. */
const LONG = `${Array.from({ length: 40 }, (_, at) => `Line ${at} of a long message.`).join("\n\n")}\n\nTheEnd [link](https://a.example)`;
const LIMIT = 400;

describe("long messages", () => {
  const world = eachServer();

  test("only the beginning is shown, and all of it by one press, remembered while the page is open", async () => {
    const ann = await world.server.user("ann");
    await say(ann, "general", LONG);
    await say(ann, "general", "A short one.");
    await ann.post("/api/channels", { name: "Other" });
    const visit = await world.open({ as: ann, at: "#/c/general", ...NARROW });
    const { page } = visit;
    const row = visit.message("Line 0 of");
    const body = row.locator(".body");
    const more = row.getByRole("button", { name: "Show all" });
    await more.waitFor();
    expect((await visit.placeOf(body)).height).toBeLessThanOrEqual(LIMIT);
    expect(await visit.message("A short one.").getByRole("button", { name: "Show all" }).count()).toBe(0);
    expect(await axeProblems(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/fold.png` });
    // What is selected is copied whole.
    await page.evaluate("getSelection().selectAllChildren(document.querySelector('.body.folded'))");
    expect(String(await page.evaluate("String(getSelection())"))).toContain("TheEnd");
    // By keyboard.
    await row.focus();
    await more.focus();
    await page.keyboard.press("Enter");
    await eventually("it is whole", async () => ((await body.boundingBox())?.height ?? 0) > LIMIT);
    expect(await more.count()).toBe(0);
    expect(await page.evaluate("document.activeElement.matches('article.message')")).toBe(true);
    await page.goto(`${world.server.url}/#/c/other`);
    await visit.waitFor("Say hello!");
    await page.goto(`${world.server.url}/#/c/general`);
    await eventually("it still is", async () => ((await body.boundingBox())?.height ?? 0) > LIMIT);
  });

  test("the button takes no room, and one's own is folded when it is sent", async () => {
    const ann = await world.server.user("ann");
    await say(ann, "general", LONG);
    await say(ann, "general", "Below it.");
    const visit = await world.open({ as: ann, at: "#/c/general" });
    const { page } = visit;
    await visit.message("Line 0 of").getByRole("button", { name: "Show all" }).waitFor();
    const below = visit.message("Below it.");
    const { y } = await visit.placeOf(below);
    // As it is before the code of the button has loaded.
    await page.evaluate("document.querySelector('.show-all').style.display = 'none'");
    expect((await visit.placeOf(below)).y).toBe(y);
    await visit.field.fill(LONG.replace("Line 0", "Mine 0"));
    await visit.field.press("Enter");
    const mine = page.locator("article.message[data-id]", { hasText: "Mine 0" });
    await mine.getByRole("button", { name: "Show all" }).waitFor();
    expect((await visit.placeOf(mine.locator(".body"))).height).toBeLessThanOrEqual(LIMIT);
  });

  test("a jump to it, the browser's own search and a focused link in it show it whole", async () => {
    const ann = await world.server.user("ann");
    const { message_id: first } = await say(ann, "general", LONG);
    for (let n = 0; n < 30; n++) await say(ann, "general", `Between ${n}.`);
    const visit = await world.open({ as: ann, at: "#/c/general" });
    const { page } = visit;
    await visit.waitFor("Between 29.");
    await page.goto(`${world.server.url}/#/c/general/${first}`);
    const body = page.locator(`[data-id="${first}"] .body`);
    const isWhole = async () => ((await body.boundingBox())?.height ?? 0) > LIMIT;
    await eventually("the target is whole", isWhole);
    // It stays so when the mark of the target has gone.
    await page.locator(".message.highlighted").waitFor({ state: "detached" });
    expect(await isWhole()).toBe(true);
    await page.reload();
    await visit.live();
    await page.locator(`[data-id="${first}"]`).waitFor();
    await say(ann, "general", LONG.replace("Line 0", "Found 0"));
    await page.goto(`${world.server.url}/#/c/general`);
    const other = page.locator("article.message[data-id]", { hasText: "Found 0" });
    await other.getByRole("button", { name: "Show all" }).waitFor();
    await other.getByRole("link", { name: "link" }).focus();
    await eventually(
      "the focused link is shown",
      async () => (await other.getByRole("button", { name: "Show all" }).count()) === 0,
    );
    expect(((await other.locator(".body").boundingBox())?.height ?? 0) > LIMIT).toBe(true);
  });

  test("an answer that grows stays whole when it is done, and moves no pixel of another message", async () => {
    const ann = await world.server.user("ann");
    const agent = await world.server.agent("Writer");
    const visit = await world.open({ as: ann, at: "#/c/general" });
    const { page } = visit;
    const { body: started } = await agent.post(STREAMS, {
      channel_slug: "general",
      agent_name: "Writer",
      client_msg_id: "grow-1",
    });
    const append = (offset: number, delta: string) =>
      agent.post(`${STREAMS}/${started.stream_id}/append`, { offset, delta });
    const half = LONG.length >> 1;
    await append(0, LONG.slice(0, half));
    const row = visit.message("Line 0 of");
    await row.waitFor();
    await append(half, LONG.slice(half));
    await row.getByText("TheEnd").waitFor();
    const before = (await visit.placeOf(row.locator(".body"))).height;
    expect(before).toBeGreaterThan(LIMIT);
    await agent.post(`${STREAMS}/${started.stream_id}/finish`, {});
    await page.locator("article.message[data-id]", { hasText: "Line 0 of" }).waitFor();
    expect((await visit.placeOf(row.locator(".body"))).height).toBe(before);
    expect(await row.getByRole("button", { name: "Show all" }).count()).toBe(0);
    // A reader who opens the page later sees its beginning.
    await page.reload();
    await visit.live();
    await row.getByRole("button", { name: "Show all" }).waitFor();
  });
});
