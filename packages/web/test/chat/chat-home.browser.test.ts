import { describe, expect, test } from "bun:test";
import { PASSWORD, startTestServer } from "../../../server/test/support/servers/test-server.ts";
import { staff } from "../../../server/test/support/staff.ts";
import { eachServer } from "../support/browser-world.ts";
import { PHONE } from "../support/touch.ts";

describe("the start page", () => {
  // The messages of the channel in the address are asked for before it is known whether there is one.
  const world = eachServer(startTestServer, [404]);

  test("without #general, / leads to a channel of the user's own", async () => {
    const ana = await world.server.user("ana");
    const boss = await staff(world.server, "boss", 3);
    await boss.post("/api/channels", { name: "Annex" });
    await ana.post("/api/channels", { name: "Hall" });
    expect((await boss.delete("/api/channels/1")).status).toBe(200);
    const visit = await world.open({ as: ana });
    await visit.page.getByRole("heading", { name: "This is the start of #Hall." }).waitFor();
  });

  test("without any channel, / says so and offers to create one", async () => {
    const ana = await world.server.user("ana");
    expect((await (await staff(world.server, "boss", 3)).delete("/api/channels/1")).status).toBe(200);
    const visit = await world.open({ as: ana });
    await visit.waitFor("No channels yet.");
    await visit.page.locator(".page").getByRole("button", { name: "Create a channel" }).click();
    await visit.page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("First");
    await visit.page.keyboard.press("Enter");
    await visit.page.getByRole("heading", { name: "This is the start of #First." }).waitFor();
  });

  test("an address without a channel leads on to the start page", async () => {
    const ana = await world.server.user("ana");
    const visit = await world.open({ as: ana, at: "#/c/nowhere" });
    await visit.waitFor("This channel doesn't exist, or you don't have access.");
    await visit.page.getByRole("link", { name: "Go to #general" }).click();
    await visit.page.getByRole("heading", { name: "This is the start of #general." }).waitFor();
  });
});

describe("the start page of a server that guests cannot read", () => {
  const world = eachServer(() => startTestServer({ guestRead: false }), [401]);

  for (const [where, options] of [
    ["a desktop", {}],
    ["a phone", PHONE],
    // Its messages were asked for, and refused, before the login.
    ["a desktop with a channel in the address", { at: "#/c/general" }],
  ] as const) {
    test(`shows the login on ${where}, and after it the channel`, async () => {
      const ana = await world.server.user("ana");
      await ana.post("/api/messages", { channel_slug: "general", content: "for members only" });
      const visit = await world.open(options);
      const { page } = visit;
      const front = page.locator("main.page");
      await front.getByText("Log in to read and post messages.").waitFor();
      expect(await page.getByText("doesn't exist").count()).toBe(0);
      await front.getByRole("button", { name: "Create account" }).waitFor();
      await front.getByRole("button", { name: "Log in" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Username").fill("ana");
      await dialog.getByLabel("Password").fill(PASSWORD);
      await page.keyboard.press("Enter");
      await visit.waitFor("for members only");
    });
  }
});
