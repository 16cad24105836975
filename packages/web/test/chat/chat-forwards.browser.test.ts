import { describe, expect, test } from "bun:test";
import { agedPass } from "../../../server/src/retention/aged.ts";
import { forwarded } from "../../../server/test/support/forwards.ts";
import { newChannel } from "../../../server/test/support/new-channel.ts";
import { sayId } from "../../../server/test/support/say.ts";
import { eventually, startTestServer } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";

const NARROW = { viewport: { width: 320, height: 640 }, colorScheme: "dark" } as const;

describe("forwarded messages, in a browser", () => {
  const world = eachServer(() => startTestServer({ rateLimits: "off" }));

  test("a message is forwarded with a comment, by mouse and by keyboard, and shows its source to those who may read it", async () => {
    const { server } = world;
    const [ann, ben] = [await server.user("ann"), await server.user("ben")];
    const secret = await newChannel(ann, { name: "Secret", is_private: true });
    const hall = await newChannel(ann, { name: "Hall" });
    await ben.post(`/api/channels/${hall.id}/join`, {});
    await sayId(ann, secret.id, "The **plan** of @ben");
    const visit = await world.open({ as: ann, at: `#/c/${secret.slug}`, ...NARROW });
    const { page } = visit;
    await visit.act("The plan", "More", "Forward");
    const dialog = page.getByRole("dialog", { name: "Forward a message" });
    await dialog.getByText("This goes along").waitFor();
    await dialog.getByRole("button", { name: "Forward" }).click();
    await dialog.getByText("Choose a channel or a person first.").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole("combobox").fill("hal");
    await page.keyboard.press("Enter");
    await dialog.getByText("To Hall").waitFor();
    // The focus goes on to the comment.
    await eventually("the comment is focused", () => page.evaluate("document.activeElement?.matches('textarea')"));
    await page.keyboard.type("Look at this");
    await dialog.getByRole("button", { name: "Forward", exact: true }).click();
    await page.getByText("Forwarded to Hall.").waitFor();
    await dialog.waitFor({ state: "detached" });

    const there = await world.open({ as: ann, at: `#/c/${hall.slug}` });
    const shown = there.message("Look at this");
    await shown.getByText("Forwarded from ann").waitFor();
    await shown.locator(".forwarded strong", { hasText: "plan" }).waitFor();
    expect(await shown.getByText("Forwarded message:").count()).toBe(0);
    await shown.getByRole("link", { name: `Show in #${secret.slug}` }).waitFor();
    expect(await axeProblems(there.page)).toEqual([]);
    const others = await world.open({ as: ben, at: `#/c/${hall.slug}` });
    await others.message("Look at this").locator(".forwarded strong", { hasText: "plan" }).waitFor();
    expect(await others.page.getByText(secret.slug).count()).toBe(0);
    // A copied mention is text.
    expect(await others.message("Look at this").locator(".forwarded .mention").count()).toBe(0);

    await shown.focus();
    await there.page.keyboard.press("f");
    const again = there.page.getByRole("dialog", { name: "Forward a message" });
    await again.getByRole("combobox").fill("ben");
    await again.getByRole("option", { name: "ben" }).waitFor();
    await there.page.keyboard.press("Enter");
    await again.getByRole("button", { name: "Forward", exact: true }).click();
    await there.page.getByText("Forwarded to ben.").waitFor();
    const { channels } = (await ben.get("/api/channels")).body;
    const direct = channels.find(({ direct_with }: { direct_with: string | null }) => direct_with === "ann");
    const { messages } = (await ben.get(`/api/messages?channel_id=${direct.id}`)).body;
    expect(messages).toMatchObject([{ forwarded: { content: "The **plan** of @ben", username: "ann" } }]);
  });

  test("from a channel with a limit of age a link goes along, and the window says so", async () => {
    const { server } = world;
    const [ann, ben] = [await server.user("ann"), await server.user("ben")];
    const brief = await newChannel(ann, { name: "Brief", is_private: true, retention_days: 7 });
    await sayId(ann, brief.id, "Not for long");
    const visit = await world.open({ as: ann, at: `#/c/${brief.slug}`, locale: "zh-CN" });
    const { page } = visit;
    await visit.message("Not for long").focus();
    await page.keyboard.press("f");
    const dialog = page.getByRole("dialog", { name: "转发消息" });
    await dialog.getByText("只会转发链接").waitFor();
    await dialog.getByRole("combobox").fill("general");
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "转发", exact: true }).click();
    await page.getByText("已转发给 general。").waitFor();
    const at = "#/c/general";
    const mine = await world.open({ as: ann, at });
    await mine.page.locator(".forwarded").getByText("Not for long").waitFor();
    await mine.page.getByRole("link", { name: `Show in #${brief.slug}` }).waitFor();
    // The source is deleted: nothing of it stays on the page.
    const { messages } = (await ann.get(`/api/messages?channel_id=${brief.id}`)).body;
    await ann.delete(`/api/messages/${messages[0].id}`);
    await mine.page.getByText("A message was forwarded that you can't read.").waitFor();
    const others = await world.open({ as: ben, at });
    await others.page.getByText("A message was forwarded that you can't read.").waitFor();
    expect(await others.page.getByText("Not for long").count()).toBe(0);
    const [last] = (await ben.get("/api/messages?channel_id=general")).body.messages.slice(-1);
    await eventually("nothing tells where it came from", () => !JSON.stringify(last).includes(brief.slug));
  });

  test("the source shows when its reader joins its channel, and goes when they leave or its age limit removes it", async () => {
    const { server } = world;
    const [ann, ben] = [await server.user("ann"), await server.user("ben")];
    const brief = await newChannel(ann, { name: "Brief", is_private: true, retention_days: 7 });
    const source = await sayId(ann, brief.id, "Not for long");
    const [general] = (await ann.get("/api/channels?channel_slug=general")).body.channels;
    await forwarded(ann, source, general.id);
    const { page } = await world.open({ as: ben, at: "#/c/general" });
    const hidden = page.getByText("A message was forwarded that you can't read.");
    const shown = page.locator(".forwarded").getByText("Not for long");
    const member = `/api/channels/${brief.id}/members/ben`;
    await hidden.waitFor();
    await ann.put(member, {});
    await shown.waitFor();
    await ann.delete(member);
    await hidden.waitFor();
    await ann.put(member, {});
    await shown.waitFor();
    await server.ctx.db.updateTable("messages").set({ created_at: 1 }).where("id", "=", source).execute();
    await sayId(ann, brief.id, "a newer one stays");
    for await (const _ of agedPass(server.ctx));
    await hidden.waitFor();
  });
});
