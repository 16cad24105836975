import { describe, expect, test } from "bun:test";
import { issueKey } from "../../server/src/agents/keys/keys.ts";
import { Client, startTestServer } from "../../server/test/support/servers/test-server.ts";
import { axeProblems } from "./support/axe.ts";
import { eachServer } from "./support/browser-world.ts";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: "dark" } as const;

describe("budgets of an agent in a browser", () => {
  const world = eachServer(() => startTestServer({ rateLimits: "off" }), [403]);

  test("their owner limits an agent on a phone, and sees what is left and what it used", async () => {
    const ann = Object.assign(await world.server.user("ann"), { username: "ann", name: "ann" });
    const { api_key, agent_id } = await issueKey(world.server.ctx, {
      agentName: "Scout",
      ownerUsername: "ann",
      grant: { scopes: ["read", "send"], channels: ["general"] },
    });
    const visit = await world.open({ as: ann, ...PHONE });
    const own = await visit.openWindow("ann", "Your agents");
    await own.getByText("read, send · #general").waitFor();
    await own.getByRole("button", { name: "Budgets and usage" }).click();
    const dialog = visit.page.getByRole("dialog", { name: "Budgets of Scout" });
    await dialog.getByText("No limits yet.").waitFor();
    await dialog.getByLabel("Messages per day", { exact: true }).fill("2");
    await dialog.getByLabel("Reported costs per day").fill("5");
    await dialog.getByLabel("Time zone of the day").fill("Europe/Berlin");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Messages per day: 2 of 2 left").waitFor();
    expect((await ann.get(`/api/agents/${agent_id}/budgets`)).body).toMatchObject({
      limits: { messages_per_day: 2, cost_per_day: { currency: "USD", amount: "5" } },
      period_zone: "Europe/Berlin",
    });
    const agent = new Client(world.server.url, { authorization: `Bearer ${api_key}` });
    const usage = { model: "m", input_tokens: 100, output_tokens: 20, cost: { currency: "USD", amount: "0.5" } };
    await agent.post("/api/agenthub/send", { channel_slug: "general", agent_name: "Scout", message: "Hi", usage });
    await visit.page.keyboard.press("Escape");
    await own.getByRole("button", { name: "Budgets and usage" }).click();
    await dialog.getByText("Messages per day: 1 of 2 left").waitFor();
    await dialog.getByText("0.5 USD").waitFor();
    await dialog.getByLabel("Show by").selectOption("channel");
    await dialog.getByRole("rowheader", { name: "#general" }).waitFor();
    expect(await axeProblems(visit.page, "dialog")).toEqual([]);
    await visit.page.keyboard.press("Escape");
    await own.getByRole("button", { name: "New key" }).click();
    const rotation = visit.page.getByRole("dialog", { name: /Scout/ });
    expect(await rotation.getByLabel("React", { exact: true }).isChecked()).toBeFalse();
    await rotation.getByLabel("React", { exact: true }).check();
    await rotation.getByLabel("Only in these channels (optional)").fill("");
    expect(await axeProblems(visit.page, "dialog")).toEqual([]);
    await rotation.locator("[type=submit]").click();
    await own.getByText("read, send, react").waitFor();
    const [agentRecord] = (await ann.get("/api/agents")).body.agents;
    expect(agentRecord.keys.at(-1)).toMatchObject({ scopes: ["read", "send", "react"], channels: null });
  });
});
