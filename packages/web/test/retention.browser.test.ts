import { beforeEach, describe, expect, test } from "bun:test";
import { agedPass } from "../../server/src/retention/aged.ts";
import { expirePass } from "../../server/src/retention/expired.ts";
import { type Client, startTestServer } from "../../server/test/support/servers/test-server.ts";
import { axeProblems } from "./support/axe.ts";
import { eachServer } from "./support/browser-world.ts";

const DAY = 86_400_000;

describe("retention in a browser", () => {
  const world = eachServer(startTestServer);
  let ann: Client;
  let id: number;

  beforeEach(async () => {
    ann = await world.server.user("ann");
    id = (await ann.post("/api/channels", { name: "Garden" })).body.channel_id;
  });

  const post = async (content: string, more = {}): Promise<number> =>
    (await ann.post("/api/messages", { channel_id: id, content, ...more })).body.message_id;
  const rewrite = (messageId: number, change: { created_at?: number; expires_at?: number }) =>
    world.server.ctx.db.updateTable("messages").set(change).where("id", "=", messageId).execute();

  test("the owner sees how much a limit deletes before setting it, and everybody sees the limit", async () => {
    await rewrite(await post("old roses"), { created_at: Date.now() - 40 * DAY });
    await post("young roses");
    const { page } = await world.open({ as: ann, at: "#/c/garden", viewport: { width: 390, height: 760 } });
    await page.getByText("old roses").waitFor();
    await page.getByRole("button", { name: "Settings" }).click();
    const dialog = page.getByRole("dialog", { name: "Settings for Garden" });
    await dialog.getByLabel("Delete messages after (days)").fill("30");
    await dialog.getByRole("button", { name: "Set limit" }).click();
    const asking = page.getByRole("dialog", { name: "Garden", exact: true });
    await asking.getByText("1 message and 0 files will be deleted").waitFor();
    expect(await axeProblems(page, "dialog")).toEqual([]);
    expect((await ann.get(`/api/channels/${id}`)).body.channel.retention_days).toBeNull();
    await asking.getByRole("button", { name: "Delete old messages" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await ann.get(`/api/channels/${id}`)).body.channel.retention_days).toBe(30);
    await page.locator("header.bar").getByText("Messages are deleted after 30 days.").waitFor();
    for await (const _ of agedPass(world.server.ctx));
    await page.getByText("old roses").waitFor({ state: "detached" });
    expect(await page.getByText("young roses").count()).toBe(1);
  });

  test("the next message can disappear, and later ones stay", async () => {
    const phone = { viewport: { width: 390, height: 760 }, hasTouch: true };
    const { page } = await world.open({ as: ann, at: "#/c/garden", ...phone });
    const button = page.locator("#conversation").getByRole("button", { name: "Send later or disappear" });
    await button.focus();
    await page.keyboard.press("Enter");
    const choice = page.getByRole("group", { name: "Disappears after" });
    await choice.getByText("30 days").waitFor();
    const { x, width } = (await choice.boundingBox()) ?? { x: -1, width: 0 };
    expect([x >= 0, x + width <= 390]).toEqual([true, true]);
    expect(await axeProblems(page)).toEqual([]);
    await choice.getByRole("button", { name: "1 hour" }).click();
    await page.getByText("Your next message disappears after 1 hour.").waitFor();
    await page.locator("#text").fill("for a moment");
    await page.locator("#conversation .send").click();
    await page.getByText(/disappears in 1 h/).waitFor();
    await page.getByText("Your next message disappears").waitFor({ state: "detached" });
    await page.locator("#text").fill("for ever");
    await page.locator("#conversation .send").click();
    await page.locator("article.message:not(.pending)", { hasText: "for ever" }).waitFor();
    const { messages } = (await ann.get(`/api/messages?channel_id=${id}`)).body;
    const ends = messages.map((each: { created_at: string; expires_at: string | null }) =>
      each.expires_at === null
        ? null
        : Math.round((Date.parse(each.expires_at) - Date.parse(each.created_at)) / 60_000),
    );
    expect(ends).toEqual([60, null]);
  });

  test("a message says when it disappears, and then does without a tombstone", async () => {
    const brief = await post("for a moment", { expires_in: 3_600 });
    await post("for ever");
    const { page } = await world.open({ as: ann, at: "#/c/garden" });
    await page.getByText(/disappears in (60 min|1 h)/).waitFor();
    await page.evaluate(`{ const now = Date.now; Date.now = () => now() + 3_600_000; }`);
    await rewrite(brief, { expires_at: Date.now() - 1 });
    await expirePass(world.server.ctx);
    await page.getByText("for a moment").waitFor({ state: "detached" });
    expect(await page.locator(".deleted").count()).toBe(0);
    expect(await page.getByText("for ever", { exact: true }).count()).toBe(1);
  });
});
