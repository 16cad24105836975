import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { axeProblems } from "./support/axe.ts";
import { eachServer } from "./support/browser-world.ts";

/** Values that no server sends; the components that render them throw. */
const UNRENDERABLE = { not: "a text" };

/** Changes the JSON that the page receives from the matching URLs. */
async function corrupt<Body>(page: Page, url: RegExp, change: (body: Body) => void): Promise<void> {
  await page.route(url, async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    change(body);
    await route.fulfill({ response, json: body });
  });
}

describe("a component that throws", () => {
  const world = eachServer();

  /** Asserts that the console has reported failures, and forgets them. */
  const expectLogged = () => expect(world.visits.complaints().join("\n")).toContain("Error");

  test("a message that cannot be rendered is replaced by a note; the other messages stay", async () => {
    const ana = await world.server.user("ana");
    for (const content of ["before it", "the broken one", "after it"])
      await ana.post("/api/messages", { channel_slug: "general", content });
    const visit = await world.open({ as: ana });
    await corrupt(visit.page, /\/api\/messages\?/, ({ messages }: { messages: { content: unknown }[] }) => {
      for (const message of messages) if (message.content === "the broken one") message.content = UNRENDERABLE;
    });
    await visit.page.reload();
    await visit.page.getByText("This message can't be displayed.").waitFor();
    await visit.waitFor("before it");
    await visit.waitFor("after it");
    expectLogged();
    expect(await axeProblems(visit.page)).toEqual([]);
  });

  test("a window that cannot be rendered says so, and the page works on after it is closed", async () => {
    const ana = await world.server.user("ana");
    const visit = await world.open({ as: ana, locale: "zh-CN" });
    await corrupt(visit.page, /\/api\/user\/ana$/, (body: { username: unknown }) => {
      body.username = UNRENDERABLE;
    });
    await visit.page.locator(".account").getByRole("button", { name: "ana" }).click();
    await visit.page.getByRole("button", { name: "个人资料" }).click();
    const dialog = visit.page.getByRole("dialog", { name: "出错了" });
    await dialog.getByText("无法显示此窗口").waitFor();
    expectLogged();
    expect(await axeProblems(visit.page, "dialog")).toEqual([]);
    await dialog.locator(".answers button").click();
    await dialog.waitFor({ state: "detached" });
    await visit.page.locator("#text").fill("还在");
    await visit.page.keyboard.press("Enter");
    await visit.waitFor("还在");
  });

  test("an application that cannot be rendered offers to reload, and works after that", async () => {
    const visit = await world.open();
    const url = /\/api\/channels/;
    await corrupt(visit.page, url, ({ channels = [] }: { channels?: { name: unknown }[] }) => {
      for (const channel of channels) channel.name = UNRENDERABLE;
    });
    await visit.page.reload();
    await visit.page.getByText("Something went wrong.").waitFor();
    expectLogged();
    expect(await axeProblems(visit.page)).toEqual([]);
    await visit.page.unroute(url);
    await visit.page.getByRole("button", { name: "Reload" }).click();
    await visit.live();
  });
});
