import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { createOwner } from "../../server/src/channels/newcomers.ts";
import { PATIENCE_MS } from "../../server/test/support/patience.ts";
import { logIn, PASSWORD, startTestServer } from "../../server/test/support/servers/test-server.ts";
import { axeProblems } from "./support/axe.ts";
import { eachServer } from "./support/browser-world.ts";
import { ChatVisit } from "./support/chat-visit.ts";
import { PHONE } from "./support/touch.ts";

/** Fills in the open login or registration form. */
async function enter(page: Page, username: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Username").fill(username);
  await dialog.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
}

describe("the first run", () => {
  const world = eachServer(startTestServer, [400]);

  test("an owner sees how to begin, and the steps tick themselves until the list is gone", async () => {
    const { server } = world;
    const { page } = await world.open();
    await page.getByText("This server has no owner yet").waitFor();
    await createOwner(server.ctx, "ada", PASSWORD);
    await page.getByRole("button", { name: "Log in", exact: true }).first().click();
    await enter(page, "ada");
    const list = page.getByRole("region", { name: "Set up your server" });
    await list.getByText("0 of 3 done").waitFor();
    expect(await page.getByText("This server has no owner yet").count()).toBe(0);
    expect(await page.getByText("new browser").count()).toBe(0);
    expect(await axeProblems(page)).toEqual([]);

    await list.getByRole("button", { name: "Get the link" }).click();
    const dialog = page.getByRole("dialog", { name: "Invite people" });
    const link = await dialog.getByLabel("Invitation link", { exact: true }).inputValue();
    expect(await axeProblems(page)).toEqual([]);
    await page.keyboard.press("Escape");
    // Looking at the link is not an invitation.
    await list.getByText("0 of 3 done").waitFor();

    const friend = await world.visits.open(link, PHONE);
    await friend.getByText("ada invited you.").waitFor();
    expect(await axeProblems(friend)).toEqual([]);
    await enter(friend, "ben");
    await friend.getByRole("heading", { name: "This is the start of #general." }).waitFor();
    expect(new URL(friend.url()).pathname).toBe("/");
    expect(await friend.getByRole("button", { name: "Join", exact: true }).count()).toBe(0);
    await list.getByText("1 of 3 done").waitFor();

    await list.getByRole("button", { name: "New channel" }).click();
    await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("Tea");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "This is the start of #Tea." }).waitFor();
    await list.getByText("2 of 3 done").waitFor();
    const scout = await server.agent("Scout");
    await scout.post("/api/agenthub/login", { channel_slug: "tea", agent_name: "Scout" });
    await list.waitFor({ state: "detached" });
  });

  test("an owner can hide the list, and it stays hidden", async () => {
    await createOwner(world.server.ctx, "ada", PASSWORD);
    const visit = await world.open({ as: await logIn(world.server.url, "ada") });
    await visit.page.getByRole("button", { name: "Hide this list" }).click();
    await visit.page.reload();
    await visit.page.getByRole("heading", { name: "This is the start of #general." }).waitFor();
    await visit.live();
    expect(await visit.page.getByText("Set up your server").count()).toBe(0);
  });

  test("an invitation leads newcomers and members to its channel, and one that is not valid says so", async () => {
    const { server } = world;
    const [ana, ben] = [await server.user("ana"), await server.user("ben")];
    await ana.post("/api/channels", { name: "Tea" });
    const { invite_code } = (await ana.get("/api/user/ana")).body;
    const at = `join?invite=${invite_code}&channel=tea`;
    const { page } = await world.open({ at });
    await enter(page, "cat");
    await page.getByRole("heading", { name: "This is the start of #Tea." }).waitFor();
    expect(await page.getByRole("button", { name: "Join", exact: true }).count()).toBe(0);
    // The start page leads to the last channel.
    await page.goto(server.url);
    await page.getByRole("heading", { name: "This is the start of #Tea." }).waitFor();

    const member = await world.open({ as: ben, at });
    await member.page.getByRole("heading", { name: "This is the start of #Tea." }).waitFor();

    const stranger = await world.visits.open(`${server.url}/join?invite=NOPE`);
    await stranger.getByText("This invitation link isn't valid. You can still create an account.").waitFor();
    await stranger.getByRole("button", { name: "Look around first" }).click();
    await stranger.getByRole("button", { name: "Create account" }).click();
    expect(await stranger.getByRole("dialog").getByLabel("Invite code (optional)").inputValue()).toBe("");
  });
});

describe("the front door of a private server", () => {
  const world = eachServer(
    () => startTestServer({ guestRead: false, registration: "invite", siteName: "Tea House" }),
    [400, 401],
  );

  test("names the site, asks for a login or an invitation, and is no list of channels", async () => {
    await createOwner(world.server.ctx, "ada", PASSWORD);
    const { page } = await world.open(PHONE);
    await page.getByRole("heading", { name: "Tea House" }).waitFor();
    expect(await page.title()).toBe("Tea House");
    await page.getByText("New accounts need an invitation from a member.").waitFor();
    expect(await page.getByText("You're browsing as a guest.").count()).toBe(0);
    expect(await page.getByRole("navigation").count()).toBe(0);
    expect(await axeProblems(page)).toEqual([]);
    for (const target of await page.locator("main :is(button, a)").all()) {
      expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    }
    await page.getByRole("button", { name: "Create account" }).click();
    await enter(page, "ben");
    // The browser asks for the missing code.
    await page.locator("input[name=invite]:invalid").waitFor();

    const bad = await world.visits.open(`${world.server.url}/join?invite=NOPE`);
    await bad.getByText("This invitation link isn't valid. Ask the person who sent it for a new link.").waitFor();
    expect(await bad.getByRole("button", { name: "Look around first" }).count()).toBe(0);
    const ada = await logIn(world.server.url, "ada");
    const { invite_code } = (await ada.get("/api/user/ada")).body;
    const invited = await world.visits.open(`${world.server.url}/join?invite=${invite_code}`);
    await invited.getByText("ada invited you.").waitFor({ timeout: PATIENCE_MS });
    await enter(invited, "cat");
    await ChatVisit.of(invited).field.waitFor();
  });
});
