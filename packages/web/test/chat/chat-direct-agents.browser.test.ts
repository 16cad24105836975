import { beforeEach, describe, expect, test } from "bun:test";
import type { Client, TestServer } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";
import { PHONE } from "../support/touch.ts";

/** Direct conversations with agents, as the page shows them. */
describe("a direct conversation with an agent", () => {
  const world = eachServer();
  let ana: Client;
  let scout: Awaited<ReturnType<TestServer["agent"]>>;

  beforeEach(async () => {
    ana = await world.server.user("ana");
    scout = await world.server.agent("Scout Bot");
    await policy("everyone");
    await scout.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Scout Bot" });
  });

  const policy = (dm_policy: "everyone" | "owner" | "nobody") =>
    world.server.ctx.db.updateTable("agents").set({ dm_policy }).where("id", "=", scout.agentId).execute();
  /** Returns the slug of the agent's only conversation. */
  const slug = async (): Promise<string> =>
    (await scout.get("/api/agenthub/me")).body.channels.find((place: { online: boolean }) => !place.online)
      .channel_slug;

  test("is offered where a conversation begins, shows the agent, its thinking and its answer", async () => {
    const visit = await world.open({ as: ana });
    const { page } = visit;
    await page.getByRole("button", { name: "New direct message" }).click();
    const chooser = page.getByRole("dialog", { name: "New direct message" });
    await chooser.getByRole("option", { name: /Scout Bot/ }).waitFor();
    expect(await axeProblems(page, "dialog")).toEqual([]);
    await chooser.getByRole("combobox").fill("scout bot");
    await page.keyboard.press("Enter");
    const title = page.locator(".bar").getByRole("heading");
    await title.filter({ hasText: "Scout Bot" }).getByText("Agent").waitFor();
    await visit.field.fill("What is new?");
    await page.keyboard.press("Enter");
    await visit.message("What is new?").waitFor();
    const place = { channel_slug: await slug(), agent_name: "Scout Bot" };
    await scout.post("/api/agenthub/typing", { ...place, typing: true });
    await page.getByText("Scout Bot is thinking").waitFor();
    const items = (await scout.get("/api/agenthub/inbox")).body.items;
    expect(items).toMatchObject([{ kind: "direct", chat_message: { content: "What is new?" } }]);
    await scout.post("/api/agenthub/send", { ...place, message: "Nothing much." });
    await visit.message("Nothing much.").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("link", { name: "general" }).click();
    await scout.post("/api/agenthub/send", { ...place, message: "Wait, there is." });
    await page.getByRole("link", { name: /Scout Bot.*1 unread/ }).waitFor();
  });

  test("is offered in the card of an agent that talks with the user, and not of others", async () => {
    await scout.post("/api/agenthub/send", { channel_slug: "general", message: "hello", agent_name: "Scout Bot" });
    const shown = await world.open({ as: ana, colorScheme: "dark", ...PHONE });
    const card = shown.page.getByRole("dialog", { name: "Scout Bot" });
    await shown.message("hello").locator(".head").getByRole("button", { name: "Scout Bot" }).tap();
    await card.getByRole("button", { name: "Send a direct message" }).waitFor();
    expect(await axeProblems(shown.page, "dialog")).toEqual([]);
    await card.getByRole("button", { name: "Send a direct message" }).tap();
    await shown.page.locator(".bar").getByRole("heading").filter({ hasText: "Scout Bot" }).waitFor();

    await policy("owner");
    const other = await world.open({ as: await world.server.user("ben") });
    await other.message("hello").locator(".head").getByRole("button", { name: "Scout Bot" }).click();
    const facts = other.page.getByRole("dialog", { name: "Scout Bot" });
    await facts.getByText(/Joined/).waitFor();
    expect(await facts.getByRole("button", { name: "Send a direct message" }).count()).toBe(0);
    await other.page.keyboard.press("Escape");
    await other.page.getByRole("button", { name: "New direct message" }).click();
    const chooser = other.page.getByRole("dialog", { name: "New direct message" });
    await chooser.getByRole("combobox").fill("Scout Bot");
    await chooser.getByText("No one found").waitFor();
  });

  test("is allowed by the agent's owner in the list of agents", async () => {
    const { db } = world.server.ctx;
    const owner = await db.selectFrom("users").select("id").where("username", "=", "ana").executeTakeFirstOrThrow();
    const own = { owner_user_id: owner.id, owner_verified: 1, dm_policy: "owner" } as const;
    await db.updateTable("agents").set(own).where("id", "=", scout.agentId).execute();
    const visit = await world.open({ as: ana });
    const dialog = await visit.openWindow("ana", "Your agents");
    const choice = dialog.getByLabel("Takes direct messages from");
    expect(await choice.inputValue()).toBe("owner");
    expect(await axeProblems(visit.page, "dialog")).toEqual([]);
    const answered = visit.page.waitForResponse((response) => response.request().method() === "PUT");
    await choice.selectOption("nobody");
    expect((await answered).status()).toBe(200);
    expect((await ana.get("/api/agent/Scout%20Bot")).body.dm_policy).toBe("nobody");
  });
});
