import { beforeEach, describe, expect, test } from "bun:test";
import { searchConsumer } from "../../../server/src/search/index/message-index.ts";
import type { Client } from "../../../server/test/support/servers/test-server.ts";
import { eachServer } from "../support/browser-world.ts";

/** Searches by what a message has and is. */
describe("a search by facts", () => {
  const world = eachServer();
  let ana: Client;

  beforeEach(async () => {
    ana = await world.server.user("ana");
    const say = (content: string) => ana.post("/api/messages", { channel_slug: "general", content });
    await say("The plan is https://example.org/plan");
    await say("The plan without any address");
    await say("Lunch");
    await ana.put(`/api/messages/${(await say("The plan that people liked")).body.message_id}/reactions/like`);
    await searchConsumer(world.server.ctx).flush();
  });

  test("narrows by has: and is:, typed and in the fields, needs no words in one channel, and names what it does not know", async () => {
    const { page } = await world.open({ as: ana });
    const side = page.locator(".side");
    const found = side.locator(".message-entry");
    await page.getByRole("button", { name: "Search" }).click();
    const field = side.getByRole("searchbox");
    await field.fill("plan has:link");
    await field.press("Enter");
    await found.filter({ hasText: "example.org" }).waitFor();
    expect(await found.count()).toBe(1);
    await side.getByText("Filters").click();
    await side.getByLabel("Contains").selectOption("A reaction");
    expect(await field.inputValue()).toBe("plan has:reaction");
    await field.fill("has:reaction is:mine");
    await field.press("Enter");
    await found.filter({ hasText: "people liked" }).waitFor();
    expect(await found.count()).toBe(1);
    await side.getByRole("button", { name: "Remove the filter is:mine" }).click();
    await side.getByText("Only in this channel").click();
    await field.press("Enter");
    await side.getByText("what to look for in one channel").waitFor();
    await field.fill("plan has:gold");
    await field.press("Enter");
    await side.getByText("has:gold is no filter here").waitFor();
  });
});
