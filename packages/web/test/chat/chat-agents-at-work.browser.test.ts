import { describe, expect, test } from "bun:test";
import { lineOf } from "../../../server/test/support/browser/line.ts";
import { askCard, pressCard } from "../../../server/test/support/cards.ts";
import { newChannel } from "../../../server/test/support/new-channel.ts";
import { eventually, startTestServer } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";
import type { ChatVisit } from "../support/chat-visit.ts";

const SHOTS = process.env.PARLEY_TEST_SHOTS;
const NARROW = { viewport: { width: 320, height: 700 }, hasTouch: true, isMobile: true, colorScheme: "dark" } as const;

describe("agents at work", () => {
  const world = eachServer(startTestServer);

  async function scene() {
    const [ann, bob] = [await world.server.user("ann"), await world.server.user("bob")];
    const agent = await world.server.agent("Builder");
    const { slug, id } = await newChannel(ann, {});
    await bob.post(`/api/channels/${id}/join`);
    const say = async (content: string, more: object = {}): Promise<number> =>
      (await ann.post("/api/messages", { channel_id: id, content, ...more })).body.message_id;
    const work = async (root: number, state: string, title?: string) => {
      const body = { channel_slug: slug, thread_root_id: root, agent_name: "Builder", state, ...(title && { title }) };
      const { status } = await agent.put("/api/agenthub/sessions", body);
      expect(status).toBe(200);
    };
    const ask = async (root: number) => {
      const who = { users: ["ann"] };
      const { status, body } = await askCard(agent, {
        channel_slug: slug,
        interaction: { kind: "approval", who },
        ...{ thread_root_id: root, agent_name: "Builder" },
      });
      expect(status).toBe(201);
      return body.message_id as number;
    };
    return { ann, bob, agent, slug, id, say, work, ask };
  }
  const listOf = ({ page }: ChatVisit) => page.getByRole("region", { name: "Agents at work" });
  const fits = async ({ page }: ChatVisit) =>
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);

  test("are listed with what they do, and lead to the thread and to the card that waits for the reader", async () => {
    const { ann, bob, slug, say, work, ask } = await scene();
    const [fix, docs] = [await say("@Builder fix the tests, please"), await say("@Builder write the docs")];
    await work(docs, "done", "Write the docs");
    const owner = await world.open({ as: ann, at: `#/c/${slug}` });
    const list = listOf(owner);
    await list.getByText("No agent works here now.").waitFor();
    await list.getByText("Ended work").click();
    await list.getByText(/^Done · /).waitFor();
    // It is live. Without a title, the message says what it is about.
    await work(fix, "working");
    await list.getByText(/^Working since /).waitFor();
    await list.getByRole("link", { name: "@Builder fix the tests, please" }).waitFor();
    await work(fix, "working", "Fix the tests");
    const card = await ask(fix);
    await list.getByText(/^Waits for you since /).waitFor();
    expect(await axeProblems(owner.page)).toEqual([]);
    if (SHOTS !== undefined) await owner.page.screenshot({ path: `${SHOTS}/at-work.png` });

    const reader = await world.open({ as: bob, at: `#/c/${slug}`, locale: "zh-CN", ...NARROW });
    await reader.page.getByRole("button", { name: "在线" }).click();
    const read = reader.page.getByRole("region", { name: "正在工作的智能体" });
    await read.getByText(/等待 ann 回答$/).waitFor();
    await fits(reader);
    expect(await axeProblems(reader.page)).toEqual([]);
    if (SHOTS !== undefined) await reader.page.screenshot({ path: `${SHOTS}/at-work-narrow.png` });
    await read.getByRole("link", { name: "查看问题" }).click();
    await reader.page.locator("aside.thread").getByText("Deploy 2.4 to production?").waitFor();

    // With the keyboard alone.
    await list.getByRole("link", { name: "Answer", exact: true }).focus();
    await owner.page.keyboard.press("Enter");
    const thread = owner.page.locator("aside.thread");
    await thread.locator(`article[data-id="${card}"]`).waitFor();
    await pressCard(ann, card, "deny");
    await thread.getByText(/^Denied by ann/).waitFor();
    await owner.page.goBack();
    await list.getByText(/^Working since /).waitFor();
    await list.getByRole("link", { name: "Fix the tests" }).click();
    await thread.getByText("@Builder fix the tests, please").waitFor();
  });

  test("are read again after a lost connection, because their events are not repeated", async () => {
    const { ann, slug, say, work } = await scene();
    const root = await say("@Builder go on");
    await work(root, "working", "Going on");
    const visit = await world.open({ as: ann, at: `#/c/${slug}` });
    await listOf(visit)
      .getByText(/^Working since /)
      .waitFor();
    const line = await lineOf(visit.page);
    await visit.page.reload();
    await listOf(visit)
      .getByText(/^Working since /)
      .waitFor();
    await line.cut(true);
    await visit.page.locator(".connection[data-state=waiting]").waitFor({ state: "attached" });
    await work(root, "failed");
    await line.cut(false);
    await visit.page.evaluate("dispatchEvent(new Event('online'))");
    await listOf(visit).getByText("No agent works here now.").waitFor();
    await ann.delete(`/api/messages/${root}`);
    await listOf(visit).waitFor({ state: "detached" });
  });

  test("say why a mention waits, until the agent begins with it", async () => {
    const { ann, slug, say, work } = await scene();
    const first = await say("@Builder fix the tests");
    await work(first, "working", "Fix the tests");
    const visit = await world.open({ as: ann, at: `#/c/${slug}` });
    const second = await say("@Builder and then the docs");
    const line = visit.page.getByRole("status", { name: "Agents that can't answer" });
    await line.getByText(/^A message to Builder waits: it has been at other work since /).waitFor();
    expect(await axeProblems(visit.page)).toEqual([]);
    if (SHOTS !== undefined) await visit.page.screenshot({ path: `${SHOTS}/busy.png` });
    await work(second, "working", "The docs");
    await eventually("nothing waits", async () => (await line.textContent()) === "");
    expect(
      await listOf(visit)
        .getByText(/^Working since /)
        .count(),
    ).toBe(2);
    // Work in another channel of whoever wrote the mention counts, too.
    const { slug: other, id } = await newChannel(ann, {});
    const far = await ann.post("/api/messages", { channel_id: id, content: "@Builder and this" });
    await visit.page.goto(`${world.server.url}/#/c/${other}`);
    await line.getByRole("link", { name: /The docs|Fix the tests/ }).waitFor();
    await ann.delete(`/api/messages/${far.body.message_id}`);
    await eventually("nothing waits there", async () => (await line.textContent()) === "");
  });
});
