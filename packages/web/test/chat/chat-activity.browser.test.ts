import { describe, expect, test } from "bun:test";
import { lineOf } from "../../../server/test/support/browser/line.ts";
import { newChannel } from "../../../server/test/support/new-channel.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";

const STREAMS = "/api/agenthub/streams";
const SHOTS = process.env.PARLEY_TEST_SHOTS;
const NARROW = { viewport: { width: 320, height: 700 }, hasTouch: true, isMobile: true, colorScheme: "dark" } as const;

describe("what an agent did for its message", () => {
  const world = eachServer();
  let keys = 0;

  async function scene() {
    const ann = await world.server.user("ann");
    const agent = await world.server.agent("Builder");
    const { slug } = await newChannel(ann, {});
    const body = { channel_slug: slug, agent_name: "Builder" };
    const start = async (): Promise<number> =>
      (await agent.post(STREAMS, { ...body, client_msg_id: `work-${++keys}` })).body.stream_id;
    const act = async (stream: number, id: string, more: object) => {
      const activity = [{ id, title: `Step ${id}`, kind: "read", status: "ok", ...more }];
      expect((await agent.post(`${STREAMS}/${stream}/append`, { activity })).status).toBe(200);
    };
    return { ann, agent, slug, body, start, act };
  }

  test("is one line that grows with the answer, unfolds to the steps, and stays below the message", async () => {
    const { ann, agent, slug, start, act } = await scene();
    const { page } = await world.open({ as: ann, at: `#/c/${slug}` });
    const stream = await start();
    await act(stream, "a", { title: "Read config.json", status: "running", target: "src/config.json" });
    const row = page.locator("article.message.growing");
    await row.getByText("1 read · Read config.json").waitFor();
    await act(stream, "a", { title: "Read config.json", target: "src/config.json", ms: 1_200 });
    await act(stream, "b", { title: "Change", kind: "edit", target: "src/config.json" });
    await row.getByText("1 read, 1 edit: config.json").waitFor();
    // With the keyboard. It stays unfolded while it grows, and when it becomes the message.
    await row.locator(".activity summary").focus();
    await page.keyboard.press("Enter");
    await row.getByText("done · 1.2 s").waitFor();
    await act(stream, "c", { title: "bun test", kind: "run", status: "denied" });
    await row.getByRole("listitem").filter({ hasText: "bun test" }).getByText("not allowed").waitFor();
    await act(stream, "d", { title: "A step without an end", kind: "other", status: "running" });
    await row.getByRole("listitem").filter({ hasText: "without an end" }).getByText("running").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/activity-growing.png` });
    await agent.post(`${STREAMS}/${stream}/append`, { offset: 0, delta: "The tests **pass**." });
    const { body } = await agent.post(`${STREAMS}/${stream}/finish`, {});
    const message = page.locator(`article.message[data-id="${body.message_id}"]`);
    await message.getByText("1 read, 1 command, 1 other step, 1 edit: config.json · 1 not allowed").waitFor();
    // The message is complete, so nothing runs any more.
    const endless = message.getByRole("listitem").filter({ hasText: "without an end" });
    await endless.getByText("end not reported").waitFor();
    expect(await message.getByText("running").count()).toBe(0);
    expect(await message.locator('[data-state="running"]').count()).toBe(0);
    expect(await axeProblems(page)).toEqual([]);
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/activity.png` });
  });

  test("is there for those who come late or come back, in Chinese on a narrow screen, and hostile texts stay within", async () => {
    const { ann, agent, slug, body, start, act } = await scene();
    const title = `<b>${"W".repeat(180)}`;
    const activity = [{ id: "x", title, kind: "run", status: "failed", target: "/very/long/".repeat(15) }];
    await agent.post("/api/agenthub/send", { ...body, message: "Done.", activity });
    const stream = await start();
    await act(stream, "a", { status: "running" });
    const visit = await world.open({ as: ann, at: `#/c/${slug}`, locale: "zh-CN", ...NARROW });
    const { page } = visit;
    await page.locator("article.message.growing").getByText("1 次读取 · Step a").waitFor();
    const sent = page.locator("article.message", { hasText: "Done." });
    await sent.getByText("1 条命令 · 1 个失败").click();
    await sent.getByText(title).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    expect(await axeProblems(page)).toEqual([]);
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/activity-narrow.png` });
    const line = await lineOf(page);
    await page.reload();
    await visit.live();
    await line.cut(true);
    await page.locator(".connection[data-state=waiting]").waitFor({ state: "attached" });
    await act(stream, "a", { status: "ok" });
    await act(stream, "b", { status: "running", kind: "search" });
    await line.cut(false);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.locator("article.message.growing").getByText("1 次读取，1 次搜索 · Step b").waitFor();
  });
});
