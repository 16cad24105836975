import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { ClaimWorld } from "../../server/test/support/browser/claim-walk.ts";
import { eventually } from "../../server/test/support/servers/test-server.ts";
import { axeProblems } from "./support/axe.ts";
import { eachVisits } from "./support/browser-world.ts";
import { ClaimVisit } from "./support/claim-visit.ts";

const PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true };
const SDK = join(import.meta.dir, "../../sdk");

describe("the page at /claim", () => {
  const pages = eachVisits();
  let world: ClaimWorld;

  beforeAll(async () => {
    world = await ClaimWorld.start({
      mastodonInstances: new Map(["one.example", "two.example"].map((host) => [host, `https://${host}`])),
    });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  let people = 0;
  const someone = () => `person${++people}.example.com`;
  /** Presses the button and waits until the text is in the clipboard. */
  const copied = async (page: Page, button: string) => {
    await page.getByRole("button", { name: button }).click();
    await page.getByRole("status").getByText("Copied.").waitFor();
  };
  const focused = (page: Page) => page.evaluate("document.activeElement.id");

  /** Runs a program until it ends or `until` is true, and returns its output. */
  async function run(command: string[], env: Record<string, string>, until?: () => Promise<boolean>): Promise<string> {
    await using child = Bun.spawn(command, { cwd: SDK, env: { ...process.env, ...env }, stderr: "inherit" });
    if (until !== undefined) {
      await eventually("the program has done its work", until, 15_000);
      child.kill();
    }
    return await new Response(child.stdout).text();
  }

  test("shows commands and a program that work unchanged", async () => {
    const visit = await ClaimVisit.open(pages.visits, world);
    const { page } = visit;
    const key = await visit.claim("ana.example.com");
    const commands = (await page.locator("#shell").textContent()) ?? "";
    const telegram = page.getByText("Use it with a bot made for Telegram");
    await telegram.click();
    await page.getByText("The agent has no name yet").waitFor();
    expect(await page.locator("#token").innerText()).toBe(`API_ROOT=${world.server.url}/telegram`);
    await telegram.click();
    const answers = await run(["bash", "-c", commands.replaceAll("\ncurl ", "\ncurl -sS ")], {});
    expect(
      answers
        .replaceAll("}{", "}\n{")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { success: true, agent_name: "ana-agent", channel_slug: "general" },
      { success: true, agent_name: "ana-agent", message_id: expect.any(Number) },
      { success: true, mentions: [] },
    ]);

    await telegram.click();
    const lines = await page.locator("#token").getByText("TOKEN=").innerText();
    const [, token, root] = /^TOKEN=(\d+:ply_\S+)\nAPI_ROOT=(\S+)$/.exec(lines) ?? [];
    expect(token).toEndWith(`:${key}`);
    const bot = await fetch(`${root}/bot${token}/getMe`);
    expect(await bot.json()).toMatchObject({ ok: true, result: { first_name: "ana-agent" } });

    const program = (await page.locator("#program").textContent()) ?? "";
    expect(program).not.toContain(key);
    const ben = await world.server.user("ben");
    await ben.post("/api/messages", { channel_slug: "general", content: "@ana-agent are you there?" });
    const newest = async () => (await ben.get("/api/messages?channel_id=general&limit=1")).body.messages[0];
    await run(
      [process.execPath, "-e", program],
      { PARLEY_KEY: key },
      async () => (await newest()).agent_name === "ana-agent",
    );
    expect(await newest()).toMatchObject({ content: "Hello ben.", sender_type: "agent" });
  });

  test("is in Chinese for browsers or preferences in Chinese, without any English left", async () => {
    const chosen = `localStorage.setItem("parley.language", "zh"); localStorage.setItem("parley.theme", "dark")`;
    for (const [locale, prepare] of [
      ["zh-CN", undefined],
      ["en-GB", (page: Page) => page.addInitScript(chosen)],
    ] as const) {
      const page = await pages.visits.open(`${world.server.url}/claim`, { locale, colorScheme: "light" }, prepare);
      const inEnglish = async () => {
        const shown: string = await page.evaluate("document.title + document.body.innerText");
        const labels: string[] = await page.evaluate(
          "[...document.querySelectorAll('[aria-label]')].map((one) => one.ariaLabel)",
        );
        const kept =
          /https:\S+|\S+\.example(\.com)?|I am claiming.*|Parley|API|\bsdk\b|X\b|Bluesky|Mastodon|Control C/g;
        return (
          [shown, ...labels]
            .join("\n")
            .replace(kept, "")
            .match(/[A-Za-z]{3,}/g) ?? []
        );
      };
      await page.getByText("你尚未登录").waitFor();
      expect(await inEnglish()).toEqual([]);
      expect(await page.evaluate("document.documentElement.lang")).toBe("zh-Hans");
      await page.locator("#get-code").click();
      await page.locator("#code-box:focus").waitFor();
      const code = await page.locator("#code").innerText();
      expect((await inEnglish()).filter((word) => !code.includes(word))).toEqual([]);
      await page.locator("#get-key").click();
      await page.getByText("请粘贴帖子链接。").waitFor();
      const text = await page.locator("#template").innerText();
      await page.locator("#address").fill(world.posts.write({ network: "bluesky", handle: someone(), text }));
      await page.locator("#get-key").click();
      await page.getByRole("heading", { name: "你的密钥" }).waitFor();
      expect(await page.locator("dt").allInnerTexts()).toEqual(["社交账号", "所有者", "智能体"]);
      await page.getByRole("button", { name: "复制密钥" }).click();
      await page.getByRole("button", { name: "已复制" }).waitFor();
      const ground = await page.evaluate("getComputedStyle(document.body).backgroundColor");
      if (prepare !== undefined) expect(ground).not.toBe("rgb(255, 255, 255)");
      expect(await page.evaluate("document.documentElement.dataset.theme")).toBe(
        prepare === undefined ? "system" : "dark",
      );
    }
  });

  test("can be used by keyboard alone from beginning to end", async () => {
    const visit = await ClaimVisit.open(pages.visits, world);
    const { page } = visit;
    const walked: unknown[] = [];
    const tabTo = async (id: string) => {
      for (let presses = 0; (await focused(page)) !== id; presses++) {
        if (presses > 20) throw new Error(`Tab does not lead to #${id}, but to ${walked.join(", ")}.`);
        await page.keyboard.press("Tab");
        walked.push(await focused(page));
      }
      expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
    };
    await tabTo("get-code");
    await page.keyboard.press("Enter");
    await page.locator("#code-box:focus").waitFor();
    await tabTo("copy-template");
    await tabTo("address");
    await page.keyboard.insertText(await visit.post(someone()));
    await tabTo("get-key");
    await page.keyboard.press("Space");
    await page.locator("#key-title:focus").waitFor();
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("copy-key");
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("Copied.").waitFor();
  });

  test("asks before leaving while the key is not copied, and removes the key when left", async () => {
    const visit = await ClaimVisit.open(pages.visits, world);
    const { page } = visit;
    const asked: string[] = [];
    let leave = false;
    page.on("dialog", async (dialog) => {
      asked.push(dialog.type());
      await (leave ? dialog.accept() : dialog.dismiss());
    });
    const home = page.getByRole("link", { name: "Parley" });
    const key = await visit.claim(someone());
    await home.click({ noWaitAfter: true });
    await eventually("it asked", () => asked.length === 1);
    expect(await page.locator("#key").innerText()).toBe(key);
    await page.getByText("Use it with a bot made for Telegram").click();
    await page.locator("#token").getByText("API_ROOT=").waitFor();
    leave = true;
    await home.click();
    await page.waitForURL(`${world.server.url}/`);
    await page.goBack();
    await page.getByText("Get a code").first().waitFor();
    expect(await page.content()).not.toContain(key);
    expect(asked).toEqual(["beforeunload", "beforeunload"]);
  });

  test.each([
    ["the copy button", (page: Page) => copied(page, "Copy the key")],
    ["the commands", (page: Page) => copied(page, "Copy the commands")],
    [
      "keyboard",
      async (page: Page) => {
        await page.evaluate("getSelection().selectAllChildren(document.getElementById('key'))");
        await page.keyboard.press("Control+C");
      },
    ],
  ])("does not ask before leaving once the key is copied by %s", async (_, copy) => {
    const visit = await ClaimVisit.open(pages.visits, world);
    const { page } = visit;
    const asked: string[] = [];
    page.on("dialog", async (dialog) => {
      asked.push(dialog.type());
      await dialog.accept();
    });
    await visit.claim(someone());
    await copy(page);
    await page.getByRole("link", { name: "Parley" }).click();
    await page.waitForURL(`${world.server.url}/`);
    expect(asked).toEqual([]);
  });

  test("keeps no key in a page that the browser restores from memory", async () => {
    const visit = await ClaimVisit.open(pages.visits, world);
    const key = await visit.claim(someone());
    // Simulates a browser that restores pages from memory; this one is started without that.
    await visit.page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))");
    expect(await visit.page.content()).not.toContain(key);
    expect(await visit.page.locator("#key-card").isVisible()).toBe(false);
  });

  test("copies the text the old way if the clipboard is unavailable", async () => {
    const visit = await ClaimVisit.open(pages.visits, world, { permissions: ["clipboard-read"] }, (page) =>
      page.addInitScript("Clipboard.prototype.writeText = () => Promise.reject(new Error('no'))"),
    );
    const key = await visit.claim(someone());
    await visit.page.getByRole("button", { name: "Copy the key" }).click();
    await visit.page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await visit.page.evaluate("navigator.clipboard.readText()")).toBe(key);
  });

  test.each(["light", "dark"] as const)("has no problem that axe finds, %s, at any step", async (colorScheme) => {
    const visit = await ClaimVisit.open(pages.visits, world, { colorScheme, reducedMotion: "reduce" });
    const { page } = visit;
    const barriers = async () => expect(await axeProblems(page)).toEqual([]);
    await barriers();
    await visit.code();
    await barriers();
    await visit.show(await visit.post(someone(), { text: "nothing" }));
    await page.getByText("doesn’t contain the code").waitFor();
    await page.evaluate("document.getElementById('label').open = true");
    await barriers();
    await visit.show(await visit.post(someone()));
    await visit.key();
    await barriers();
    expect(await page.evaluate("document.getAnimations().length")).toBe(0);
    pages.visits.complaints(); // the 422
  });

  test("is not wider than a phone's screen, and offers a choice of several instances", async () => {
    const visit = await ClaimVisit.open(pages.visits, world, PHONE);
    const { page } = visit;
    const fits = async () => expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    await fits();
    await visit.code();
    await fits();
    await page.getByLabel("Mastodon instance").selectOption("two.example");
    const link = page.getByRole("link", { name: "Post on two.example" });
    expect(await link.getAttribute("href")).toStartWith("https://two.example/share?text=I%20am%20claiming");
    await visit.show(await visit.post(`${"a".repeat(60)}.${"b".repeat(60)}.example.com`, { text: "w".repeat(300) }));
    await page.getByText("doesn’t contain the code").waitFor();
    await fits();
    await visit.show(await visit.post(`${"a".repeat(60)}.${"b".repeat(60)}.example.com`));
    await visit.key();
    await fits();
    pages.visits.complaints(); // the 422
  });

  test("says that a server looks up no posts", async () => {
    await using none = await ClaimWorld.start({
      xBearerToken: null,
      twitterapiIoApiKey: null,
      blueskyApiUrl: null,
      mastodonInstances: new Map(),
    });
    const page = await pages.visits.open(`${none.server.url}/claim`);
    await page.getByText("This server doesn’t look up posts on any network").waitFor();
    expect(await page.getByRole("button", { name: "Get a code" }).isDisabled()).toBe(true);
  });
});
