import { describe, expect, test } from "bun:test";
import type { CDPSession } from "playwright-core";
import { eventually } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";
import type { ChatVisit } from "../support/chat-visit.ts";

describe("input methods and scripts in a browser", () => {
  const world = eachServer();

  /** Simulates an input method: temporary letters, then the characters they produce. */
  class InputMethod {
    readonly #session: CDPSession;
    private constructor(session: CDPSession) {
      this.#session = session;
    }
    static open = async (visit: ChatVisit) => new InputMethod(await visit.page.context().newCDPSession(visit.page));
    compose = (text: string) =>
      this.#session.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
    /** The Enter that confirms a choice, as browsers report it: handled by the input method. */
    async enter(): Promise<void> {
      const key = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13 };
      await this.#session.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...key });
      await this.#session.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
    }
    commit = (text: string) => this.#session.send("Input.insertText", { text });
  }

  test("the Enter that confirms a character sends and saves nothing, and the next one does", async () => {
    const ana = await world.server.user("ana");
    const visit = await world.open({ as: ana });
    const { page } = visit;
    await visit.field.focus();
    const method = await InputMethod.open(visit);
    await method.compose("nihao");
    expect(await visit.field.inputValue()).toBe("nihao");
    await method.enter();
    expect(await page.locator(".pending, .body").count()).toBe(0);
    await method.commit("你好");
    expect(await visit.field.inputValue()).toBe("你好");
    await page.keyboard.press("Enter");
    await visit.waitFor("你好");
    await eventually("it is sent once", async () => (await visit.texts()).join() === "你好");

    await visit.act("你好", "More", "Edit");
    const edited = page.getByLabel("Edit message");
    await edited.press("End");
    await method.compose("shijie");
    await method.enter();
    expect(await edited.inputValue()).toBe("你好shijie");
    await page.keyboard.press("Escape");
    // Escape ended at most the composition: the edit is still open.
    expect(await edited.count()).toBe(1);
    await edited.fill("你好世界");
    await page.keyboard.press("Enter");
    await visit.waitFor("你好世界");
    expect(await visit.field.inputValue()).toBe("");
  });

  test("names are not suggested during composition, and afterwards in any script", async () => {
    const agent = await world.server.agent("夜番");
    await agent.post("/api/agenthub/login", { channel_slug: "general", agent_name: "夜番" });
    const visit = await world.open({ as: await world.server.user("ana") });
    const { page } = visit;
    await page.locator(".side .person", { hasText: "夜番" }).waitFor();
    await visit.field.pressSequentially("@");
    const names = page.getByRole("listbox");
    await names.waitFor();
    const method = await InputMethod.open(visit);
    await method.compose("yoru");
    await names.waitFor({ state: "detached" });
    // Enter belongs to the input method: no name is inserted and nothing is sent.
    await method.enter();
    expect(await visit.field.inputValue()).toBe("@yoru");
    await method.compose("よる");
    expect(await names.count()).toBe(0);
    await method.commit("夜");
    await names.getByRole("option", { name: "夜番" }).waitFor();
    await page.keyboard.press("Enter");
    expect(await visit.field.inputValue()).toBe("@夜番 ");
  });

  test("Chinese and Japanese appear side by side in their own fonts, and nothing is wider than a phone", async () => {
    const [ana, ben] = [await world.server.user("ana"), await world.server.user("ben")];
    const texts = {
      chinese: "今天的部署已经完成，骨头与直接的角度都复核过了。".repeat(6),
      japanese: "今日のデプロイは終わりました。骨と直接の角度も確認済みです。".repeat(6),
      korean: "오늘 배포가 끝났습니다.",
      emoji: "👩‍👩‍👧‍👦🏳️‍🌈",
    };
    for (const content of Object.values(texts)) await ben.post("/api/messages", { channel_slug: "general", content });
    const visit = await world.open({
      as: ana,
      locale: "zh-CN",
      viewport: { width: 390, height: 760 },
    });
    const { page } = visit;
    for (const text of ["骨头", "今日のデプロイ", "오늘", "👩"])
      await page.locator(".body", { hasText: text }).first().waitFor();
    const facts = (text: string) =>
      page.evaluate(`(() => {
        const body = [...document.querySelectorAll(".body")].find(({ textContent }) => textContent.includes("${text}"));
        return [body.closest("[lang]").lang, body.classList.contains("large"), getComputedStyle(body).fontFamily];
      })()`) as Promise<[string, boolean, string]>;
    const [zh, isLargeHan, chinese] = await facts("骨头");
    const [ja, , japanese] = await facts("デプロイ");
    expect([zh, isLargeHan, ja]).toEqual(["zh-Hans", false, "ja"]);
    expect((await facts("오늘"))[0]).toBe("ko");
    expect((await facts("👩"))[1]).toBe(true);
    expect(chinese.indexOf("PingFang SC")).toBeLessThan(chinese.indexOf("Hiragino Sans"));
    expect(japanese.indexOf("Hiragino Sans")).toBeLessThan(japanese.indexOf("PingFang SC"));
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    expect(await page.locator(".day").first().innerText()).toBe("今天");
    expect(await axeProblems(page)).toEqual([]);
  });
});
