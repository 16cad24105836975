import { beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { type Client, eventually } from "../../../server/test/support/servers/test-server.ts";
import { staff } from "../../../server/test/support/staff.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";
import { ChatVisit } from "../support/chat-visit.ts";

describe("replies in a browser", () => {
  const world = eachServer();
  let ana: Client;

  beforeEach(async () => {
    ana = await world.server.user("ana");
  });

  const say = async (content: string, reply_to_id?: number): Promise<number> =>
    (await ana.post("/api/messages", { channel_slug: "general", content, reply_to_id })).body.message_id;
  /**
   * Sends "number 1." to "number 120." and a reply to each of `targets`; returns the ids of the first and of the
   * replies.
   */
  async function fill(...answered: number[]): Promise<{ ids: number[]; replies: number[] }> {
    const ids: number[] = [];
    for (let n = 1; n <= 120; n++) ids.push(await say(`number ${n}.`));
    const replies: number[] = [];
    for (const n of answered) replies.push(await say(`about ${n}.`, ids[n - 1]));
    return { ids, replies };
  }
  const quoteOf = (visit: ChatVisit, text: string) => visit.message(text).locator(".quote");
  function idCalls(page: Page): string[] {
    const calls: string[] = [];
    page.on("request", (request) => {
      const ids = new URL(request.url()).searchParams.get("ids");
      if (ids !== null) calls.push(ids);
    });
    return calls;
  }

  test("replies quote messages far above with one request, and show their changes, deletions and losses", async () => {
    const { ids } = await fill(3, 4, 5, 118);
    await ana.delete(`/api/messages/${ids[3]}`);
    await world.server.ctx.db
      .deleteFrom("messages")
      .where("id", "=", ids[4] ?? 0)
      .execute();
    const visit = await world.open();
    await visit.page.goto("about:blank");
    const calls = idCalls(visit.page);
    await visit.page.goto(world.server.url);
    // The page has joined: it receives changes from here on.
    await visit.page.getByText("1 guest").waitFor();
    await quoteOf(visit, "about 3.").getByText("number 3.").waitFor();
    expect(await quoteOf(visit, "about 3.").locator(".name").innerText()).toBe("ana");
    await quoteOf(visit, "about 4.").getByText("This message was deleted.").waitFor();
    await quoteOf(visit, "about 5.").getByText("no longer available").waitFor();
    await quoteOf(visit, "about 118.").getByText("number 118.").waitFor();
    // Loaded messages are not requested.
    expect(calls).toEqual([[ids[2], ids[3], ids[4]].join(",")]);
    await ana.put(`/api/messages/${ids[2]}`, { content: "number three" });
    await quoteOf(visit, "about 3.").getByText("number three").waitFor();
    await ana.delete(`/api/messages/${ids[2]}`);
    await quoteOf(visit, "about 3.").getByText("This message was deleted.").waitFor();
    expect(calls.length).toBe(1);
    expect(await axeProblems(visit.page)).toEqual([]);
  });

  test("a quoted message that changed before the page received events is shown as it is now", async () => {
    const { ids } = await fill(3);
    const heard = Promise.withResolvers<void>();
    const page = await world.visits.open(world.server.url, {}, async (page) => {
      await page.routeWebSocket(/\/api\/ws/, async (socket) => {
        await heard.promise;
        socket.connectToServer();
      });
    });
    const quote = quoteOf(ChatVisit.of(page), "about 3.");
    await quote.getByText("number 3.").waitFor();
    await ana.put(`/api/messages/${ids[2]}`, { content: "number three" });
    heard.resolve();
    await quote.getByText("number three").waitFor();
  });

  test("a quote opens its place in the history and returns to the reply, by keyboard, too", async () => {
    await fill(7);
    const visit = await world.open();
    const { page } = visit;
    const inSight = async (text: string) => {
      const [box, frame] = [
        await visit.message(text).last().boundingBox(),
        await page.locator(".scroller").boundingBox(),
      ];
      return box !== null && frame !== null && box.y >= frame.y && box.y + box.height <= frame.y + frame.height + 1;
    };
    await quoteOf(visit, "about 7.").getByText("number 7.").waitFor();
    await quoteOf(visit, "about 7.").click();
    await page.locator(".highlighted", { hasText: "number 7." }).waitFor();
    for (const near of ["number 6.", "number 8."]) await visit.message(near).waitFor();
    expect(await page.getByText("about 7.").count()).toBe(0);
    await page.getByRole("button", { name: "Back to the reply" }).click();
    await page.locator(".highlighted", { hasText: "about 7." }).waitFor();
    await eventually("the reply is in sight", () => inSight("about 7."));
    expect(await page.getByRole("button", { name: "Back to the reply" }).count()).toBe(0);

    await eventually("the reply has the focus", () =>
      page.evaluate(
        "document.activeElement.matches('article') && document.activeElement.textContent.includes('about 7.')",
      ),
    );
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.className")).toBe("quote");
    await page.keyboard.press("Enter");
    await eventually("what it answers has the focus", () =>
      page.evaluate(
        "document.activeElement.matches('article.highlighted') && document.activeElement.textContent.includes('number 7.')",
      ),
    );
    expect(await axeProblems(page)).toEqual([]);
    // The end is not the way back: the user continues to read from there.
    await page.getByRole("button", { name: "Jump to the newest messages" }).click();
    await visit.waitFor("about 7.");
    expect(await page.getByRole("button", { name: "Back to the reply" }).count()).toBe(0);
  });

  test("deleting somebody else's message opens a dialog of the page: Escape keeps the message, the Delete button deletes it", async () => {
    await say("a slip");
    const visit = await world.open({ as: await staff(world.server, "mona", 1) });
    const { page } = visit;
    let asked = 0;
    page.on("dialog", (dialog) => {
      asked += 1;
      void dialog.dismiss();
    });
    await visit.act("a slip", "More", "Delete");
    const dialog = page.getByRole("dialog", { name: "Delete this message?" });
    await dialog.waitFor();
    expect(await axeProblems(page, "dialog")).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await eventually("the message has the focus", () =>
      page.evaluate("document.activeElement.matches('article.message')"),
    );
    expect(await visit.texts()).toEqual(["a slip"]);
    await visit.act("a slip", "More", "Delete");
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await visit.waitFor("This message was deleted.");
    expect(asked).toBe(0);
  });
});
