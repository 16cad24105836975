import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { newChannel } from "../../../server/test/support/new-channel.ts";
import { type Client, eventually } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";

const STREAMS = "/api/agenthub/streams";
const SHOTS = process.env.PARLEY_TEST_SHOTS;
const ANSWER = `Here is **the plan** for \`general\`:

1. read the files
2. write the test

\`\`\`js
const sum = (a, b) => a + b;
\`\`\`

| step | state |
|---|---|
| read | done |

That is all.`;

describe("messages that agents are writing", () => {
  const world = eachServer();
  let keys = 0;

  async function scene() {
    const ann = await world.server.user("ann");
    const agent = await world.server.agent("Helper");
    const { slug, id } = await newChannel(ann, {});
    const say = async (content: string, more: object = {}): Promise<number> =>
      (await ann.post("/api/messages", { channel_id: id, content, ...more })).body.message_id;
    const start = async (more: object = {}): Promise<number> => {
      const body = { channel_slug: slug, agent_name: "Helper", client_msg_id: `answer-${++keys}`, ...more };
      const { status, body: started } = await agent.post(STREAMS, body);
      expect(status).toBe(201);
      return started.stream_id;
    };
    return { ann, agent, slug, say, start };
  }
  /** Appends a text in pieces of a few characters. */
  async function write(agent: Client, id: number, text: string, from = 0): Promise<void> {
    for (let offset = from; offset < text.length; offset += 40)
      await agent.post(`${STREAMS}/${id}/append`, { offset, delta: text.slice(offset, offset + 40) });
  }
  /** Marks an element, to see later whether it is still the same. */
  const mark = (page: Page, selector: string) =>
    page.evaluate(`document.querySelector(${JSON.stringify(selector)}).setAttribute("data-test-mark", "same")`);

  test("grow as Markdown without moving what is above, and become the message in place", async () => {
    const { ann, agent, slug, say, start } = await scene();
    for (let n = 0; n < 40; n += 1) await say(`message ${n}`);
    const visit = await world.open({ as: ann, at: `#/c/${slug}` });
    const { page } = visit;
    await page.getByText("message 39").waitFor();
    const id = await start();
    const row = page.locator("article.message.growing");
    await row.waitFor();
    await agent.post(`${STREAMS}/${id}/append`, { status: "reading 3 files" });
    await page.getByText("reading 3 files").waitFor();
    await write(agent, id, ANSWER.slice(0, 120));
    await row.locator("ol li").nth(1).waitFor();
    expect(await row.locator("strong").textContent()).toBe("the plan");
    expect(await axeProblems(page, ".scroller")).toEqual([]);
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/growing.png` });
    // The list follows its end.
    const scroller = page.locator("#conversation .scroller").first();
    const list = 'document.querySelector("#conversation .scroller")';
    const fromEnd = () =>
      page.evaluate(`((list) => list.scrollHeight - list.scrollTop - list.clientHeight)(${list})`).then(Number);
    expect(await fromEnd()).toBeLessThan(3);
    // Somebody who reads above stays where they are.
    await scroller.hover();
    await page.mouse.wheel(0, -250);
    const anchor = page.getByText("message 35", { exact: true });
    const before = await visit.placeOf(anchor);
    const below = await fromEnd();
    await write(agent, id, ANSWER, 120);
    await eventually("the end has come", async () => (await fromEnd()) > below + 100);
    expect((await anchor.boundingBox())?.y).toBe(before.y);
    await page.evaluate(`((list) => list.scrollTo(0, list.scrollHeight))(${list})`);
    await row.getByText("That is all.").waitFor();
    await mark(page, "article.growing");
    await mark(page, "article.growing .code-block");
    const height = (await row.boundingBox())?.height;
    const done = await agent.post(`${STREAMS}/${id}/finish`, {});
    const message = page.locator(`article.message[data-id="${done.body.message_id}"]`);
    await message.waitFor();
    // The same elements, of the same height: nothing flashes.
    expect(await message.getAttribute("data-test-mark")).toBe("same");
    expect(await message.locator(".code-block").getAttribute("data-test-mark")).toBe("same");
    expect((await message.boundingBox())?.height).toBe(height);
    expect(await row.count()).toBe(0);
    expect(await fromEnd()).toBeLessThan(3);
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/grown.png` });
  });

  test("are there for those who come late or come back, in threads, and go when they are cancelled", async () => {
    const { ann, agent, slug, say, start } = await scene();
    const root = await say("why?");
    const id = await start({ thread_root_id: root });
    await write(agent, id, "Because of **this**");
    const visit = await world.open({ as: ann, at: `#/c/${slug}/t/${root}`, colorScheme: "dark" });
    const { page } = visit;
    const row = page.locator("aside.thread article.message.growing");
    await row.locator("strong").waitFor();
    expect(await page.locator("#conversation article.message.growing").count()).toBe(0);
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/growing-thread.png` });
    await visit.goOffline();
    await agent.post(`${STREAMS}/${id}/append`, { offset: 19, delta: " and that" });
    await page.context().setOffline(false);
    await row.getByText("and that").waitFor();
    await agent.post(`${STREAMS}/${id}/cancel`);
    await row.waitFor({ state: "detached" });
  });
});
