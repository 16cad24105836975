import { describe, expect, test } from "bun:test";
import { issueKey } from "../../../server/src/agents/keys/keys.ts";
import { newChannel } from "../../../server/test/support/new-channel.ts";
import { Client, startTestServer } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";

const STREAMS = "/api/agenthub/streams";
const SHOTS = process.env.PARLEY_TEST_SHOTS;
const NARROW = { viewport: { width: 320, height: 700 }, hasTouch: true, isMobile: true, colorScheme: "dark" } as const;

describe("stopping an agent", () => {
  const world = eachServer(startTestServer);
  let keys = 0;

  async function scene() {
    const [ann, bob, cat] = [
      await world.server.user("ann"),
      await world.server.user("bob"),
      await world.server.user("cat"),
    ];
    const { slug, id } = await newChannel(cat, {});
    for (const each of [ann, bob]) await each.post(`/api/channels/${id}/join`);
    const { api_key } = await issueKey(world.server.ctx, { agentName: "Builder", ownerUsername: "bob" });
    const agent = new Client(world.server.url, { authorization: `Bearer ${api_key}` });
    const body = { channel_slug: slug, agent_name: "Builder" };
    const root: number = (await ann.post("/api/messages", { channel_id: id, content: "@Builder do it" })).body
      .message_id;
    const start = async (more: object): Promise<number> => {
      const started = await agent.post(STREAMS, { ...body, client_msg_id: `work-${++keys}`, ...more });
      expect(started.status).toBe(201);
      await agent.post(`${STREAMS}/${started.body.stream_id}/append`, { offset: 0, delta: "So far, so good" });
      return started.body.stream_id;
    };
    const work = () => agent.put("/api/agenthub/sessions", { ...body, thread_root_id: root, state: "working" });
    const reasonOf = async (stream: number) => (await ann.get(`${STREAMS}/${stream}`)).body.stream.finish_reason;
    return { ann, bob, cat, slug, id, root, start, work, reasonOf };
  }

  test("whoever asked has a button at the answer that grows, which becomes the message with what is there", async () => {
    const { ann, slug, root, start, reasonOf } = await scene();
    const { page } = await world.open({ as: ann, at: `#/c/${slug}`, ...NARROW });
    const stream = await start({ reply_to_id: root });
    const row = page.locator("#conversation article.message.growing");
    const stop = row.getByRole("button", { name: "Stop Builder" });
    await stop.waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/stop.png` });
    // By keyboard.
    await stop.focus();
    await page.keyboard.press("Enter");
    await row.waitFor({ state: "detached" });
    await page.locator("article.message[data-id]", { hasText: "So far, so good" }).waitFor();
    expect(await reasonOf(stream)).toBe("stopped");
  });

  test("the owner and the channel's admins have it, in the thread and in the list of agents at work; others don't", async () => {
    const { ann, bob, cat, slug, id, root, start, work, reasonOf } = await scene();
    const dan = await world.server.user("dan");
    await dan.post(`/api/channels/${id}/join`);
    const stream = await start({ thread_root_id: root });
    await work();
    const at = `#/c/${slug}/t/${root}`;
    const [owner, admin, other] = [
      await world.open({ as: bob, at, locale: "zh-CN" }),
      await world.open({ as: cat, at: `#/c/${slug}` }),
      await world.open({ as: dan, at }),
    ];
    const growing = "aside.thread article.message.growing";
    await owner.page.locator(growing).getByRole("button", { name: "停止 Builder" }).click();
    await other.page.locator(growing).waitFor({ state: "detached" });
    expect(await reasonOf(stream)).toBe("stopped");
    const again = await start({ thread_root_id: root });
    await work();
    await other.page.locator(growing).getByText("So far, so good").waitFor();
    await owner.page.locator(growing).getByRole("button", { name: "停止 Builder" }).waitFor();
    expect(await other.page.locator(growing).getByRole("button", { name: "Stop Builder" }).count()).toBe(0);
    const list = admin.page.getByRole("region", { name: "Agents at work" });
    await list.getByText(/^Working since /).waitFor();
    expect(await axeProblems(admin.page)).toEqual([]);
    if (SHOTS !== undefined) await admin.page.screenshot({ path: `${SHOTS}/stop-list.png` });
    await list.getByRole("button", { name: "Stop Builder" }).click();
    await list.getByText("No agent works here now.").waitFor();
    expect(await reasonOf(again)).toBe("stopped");
    // The list has the button for the person who asked, too.
    await work();
    const asker = await world.open({ as: ann, at: `#/c/${slug}` });
    await asker.page
      .getByRole("region", { name: "Agents at work" })
      .getByRole("button", { name: "Stop Builder" })
      .waitFor();
    await other.page.getByRole("button", { name: "Close" }).first().click();
    const seen = other.page.getByRole("region", { name: "Agents at work" });
    await seen.getByText(/^Working since /).waitFor();
    expect(await seen.getByRole("button", { name: "Stop Builder" }).count()).toBe(0);
  });
});
