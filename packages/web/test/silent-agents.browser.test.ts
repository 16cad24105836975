import { describe, expect, test } from "bun:test";
import { issueKey } from "../../server/src/agents/keys/keys.ts";
import { datedClock } from "../../server/test/support/clock.ts";
import { Client, startTestServer } from "../../server/test/support/servers/test-server.ts";
import { axeProblems } from "./support/axe.ts";
import { eachServer } from "./support/browser-world.ts";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: "dark" } as const;

describe("agents that cannot answer, in a browser", () => {
  const clock = datedClock();
  const world = eachServer(() => startTestServer({ rateLimits: "off", agentLoopLimit: 4 }, { clock }), [403]);

  /** Returns an agent of a user that is logged in to a channel. */
  async function agentIn(slug: string, name: string, ownerUsername: string) {
    const { api_key, agent_id } = await issueKey(world.server.ctx, { agentName: name, ownerUsername });
    const client = new Client(world.server.url, { authorization: `Bearer ${api_key}` });
    const body = { channel_slug: slug, agent_name: name };
    expect((await client.post("/api/agenthub/login", body)).status).toBe(200);
    const send = (message: string) => client.post("/api/agenthub/send", { ...body, message });
    return { agentId: agent_id, client, send };
  }

  test("the loop guard has a line, which its channel's admin ends by a button, and anybody by a message", async () => {
    const [ann, bob] = [await world.server.user("ann"), await world.server.user("bob")];
    const { body } = await ann.post("/api/channels", { name: "Lab" });
    const [one, two] = [await agentIn("lab", "One", "ann"), await agentIn("lab", "Two", "ann")];
    const admin = await world.open({ as: ann, at: "#/c/lab" });
    const reader = await world.open({ as: bob, at: "#/c/lab", ...PHONE });
    const trip = async () => {
      for (const { send } of [one, two, one, two]) await send("and you?");
      expect((await one.send("more")).body.code).toBe("loop_guard_tripped");
    };
    await trip();
    const lineOf = ({ page }: typeof admin) => page.getByRole("status", { name: "Agents that can't answer" });
    const said = "One, Two can't answer: agents have sent too many messages in a row here.";
    await lineOf(reader).getByText(said).waitFor();
    expect(await lineOf(reader).getByRole("button").count()).toBe(0);
    expect(await axeProblems(reader.page)).toEqual([]);
    await lineOf(admin).getByRole("button", { name: "Let agents go on" }).click();
    await lineOf(admin).getByText(said).waitFor({ state: "detached" });
    await lineOf(reader).getByText(said).waitFor({ state: "detached" });
    expect((await one.send("thank you")).status).toBe(201);
    await two.send("yes");
    await one.send("and now?");
    await two.send("well");
    expect((await one.send("more")).status).toBe(429);
    await lineOf(reader).getByText(said).waitFor();
    // Who opens the channel later sees it, too.
    await admin.page.reload();
    await lineOf(admin).getByText(said).waitFor();
    await bob.post("/api/messages", { channel_id: body.channel_id, content: "Stop it." });
    for (const visit of [admin, reader]) await lineOf(visit).getByText(said).waitFor({ state: "detached" });
  });

  test("a budget that is used up leads its owner to it, from the line, the card and the notice", async () => {
    const [ann, bob] = [await world.server.user("ann"), await world.server.user("bob")];
    const scout = await agentIn("general", "Scout", "ann");
    await ann.put(`/api/agents/${scout.agentId}/budgets`, { messages_per_day: 3 });
    const owner = await world.open({ as: ann });
    const reader = await world.open({ as: bob, locale: "zh-CN" });
    for (const text of ["one", "two", "three"]) await scout.send(text);
    expect((await scout.send("four")).body.code).toBe("budget_exhausted");
    const line = owner.page.getByRole("status", { name: "Agents that can't answer" });
    await line.getByText("Messages per day: 0 of 3 left today.").waitFor();
    const foreign = reader.page.getByRole("status", { name: "无法回答的智能体" });
    await foreign.getByText("Scout 在").waitFor();
    expect(await foreign.textContent()).not.toContain("每日");
    await line.getByRole("button", { name: "Change its budgets" }).click();
    const dialog = owner.page.getByRole("dialog", { name: "Budgets of Scout" });
    await dialog.getByText("Messages per day: 0 of 3 left").waitFor();
    await owner.page.keyboard.press("Escape");
    await owner.page.keyboard.press("Escape");
    await owner.page.locator(".message .head").getByRole("button", { name: "Scout" }).first().click();
    await owner.page.locator(".person-card").getByText("Scout can't answer until").waitFor();
    await owner.page.keyboard.press("Escape");
    await owner.page.getByRole("button", { name: /^Notifications/ }).click();
    await owner.page.getByRole("button", { name: "Open its budgets" }).first().click();
    await dialog.waitFor();
    await dialog.getByRole("textbox", { name: "Messages per day" }).fill("4");
    await dialog.getByRole("button", { name: "Save" }).click();
    await line.getByText("Scout").waitFor({ state: "detached" });
    await foreign.getByText("Scout").waitFor({ state: "detached" });
  });

  test("an agent whose program is gone is away with what waits for it, and its card says so", async () => {
    const ann = await world.server.user("ann");
    const scout = await agentIn("general", "Scout", "ann");
    const visit = await world.open({ as: ann, ...PHONE });
    await scout.client.get("/api/agenthub/inbox?wait=1");
    clock.ahead += 65_000;
    const line = visit.page.getByRole("status", { name: "Agents that can't answer" });
    await line.getByText("Scout can't answer: not connected since").waitFor();
    await ann.post("/api/messages", { channel_slug: "general", content: "@Scout are you there?" });
    await line.getByText("1 message waits for an answer.").waitFor();
    await scout.client.get("/api/agenthub/inbox?wait=1");
    await line.getByText("Scout").waitFor({ state: "detached" });
  });

  test("a page that was offline learns which agents can't answer when it is back", async () => {
    const [ann, bob] = [await world.server.user("ann"), await world.server.user("bob")];
    await ann.post("/api/channels", { name: "Lab" });
    const [one, two] = [await agentIn("lab", "One", "ann"), await agentIn("lab", "Two", "ann")];
    let line = Promise.withResolvers<void>();
    line.resolve();
    let cut = () => {};
    const visit = await world.open({ as: bob, at: "#/c/lab" });
    const { page } = visit;
    await page.routeWebSocket(/\/api\/ws/, async (socket) => {
      await line.promise;
      socket.connectToServer();
      cut = () => void socket.close();
    });
    await page.reload();
    await visit.live();
    line = Promise.withResolvers();
    cut();
    await page.locator(".connection:not([data-state=live])").waitFor({ state: "attached" });
    for (const { send } of [one, two, one, two]) await send("and you?");
    expect((await one.send("more")).body.code).toBe("loop_guard_tripped");
    line.resolve();
    await page.getByText("One, Two can't answer: agents have sent too many messages in a row here.").waitFor();
  });
});
