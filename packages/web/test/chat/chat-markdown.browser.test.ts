import { describe, expect, test } from "bun:test";
import { putMessages } from "../../../server/test/support/put-messages.ts";
import { eventually } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";

const CODE = "```ts\nconst a: number = 1; // one\n```";
const TABLE = `|${" a wide head |".repeat(8)}\n|${"---|".repeat(8)}\n|${" a wide cell |".repeat(8)}`;

describe("Markdown in a browser", () => {
  const world = eachServer();
  const send = async (content: string) => {
    const ana = await world.server.user("ana");
    await ana.post("/api/messages", { channel_slug: "general", content });
    return ana;
  };

  test("colours code that names a language, and copies it as it was written", async () => {
    const visit = await world.open({
      as: await send(`See:\n${CODE}`),
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await visit.page.locator(".hljs-comment", { hasText: "// one" }).waitFor();
    await visit.page.locator(".code-block").hover();
    await visit.page.getByRole("button", { name: "Copy", exact: true }).click();
    await visit.waitFor("Code copied.");
    expect(await visit.page.evaluate("navigator.clipboard.readText()")).toBe("const a: number = 1; // one");
  });

  test("loads the colours only when code names a language", async () => {
    const visit = await world.open({ as: await send("```\nplain\n```\n**b**") });
    const asked: string[] = [];
    visit.page.on("request", (request) => asked.push(request.url()));
    await visit.page.locator("strong", { hasText: "b" }).waitFor();
    expect(asked.filter((url) => url.includes("coloured-code"))).toEqual([]);
    await visit.say(CODE);
    await visit.page.locator(".hljs-comment").first().waitFor();
    expect(asked.filter((url) => url.includes("coloured-code")).length).toBe(1);
  });

  test("shows the source of the focused message with a key, and with the menu", async () => {
    const visit = await world.open({ as: await send("**bold** &eacute; &hearts; &ngE;") });
    const message = visit.page.locator("article.message");
    await message.locator("strong").waitFor();
    expect(await message.locator(".body").textContent()).toBe("bold é ♥ &ngE;");
    await message.focus();
    await visit.page.keyboard.press("s");
    await message.locator("pre.source", { hasText: "**bold** &eacute; &hearts; &ngE;" }).waitFor();
    await visit.page.keyboard.press("s");
    await message.locator("strong").waitFor();
    await visit.act(message, "More", "Show source");
    await message.locator("pre.source").waitFor();
  });

  test("previews what is being written, while there is something to format", async () => {
    const visit = await world.open({ as: await send("hi") });
    const preview = visit.page.getByRole("button", { name: "Preview" });
    await visit.field.fill("plain");
    expect(await preview.count()).toBe(0);
    await visit.field.fill("a **bold** word");
    await preview.click();
    await visit.page.getByRole("region", { name: "Preview" }).locator("strong", { hasText: "bold" }).waitFor();
    await visit.field.press("Enter");
    await visit.message("a bold word").waitFor();
    expect(await visit.page.getByRole("region", { name: "Preview" }).count()).toBe(0);
  });

  test("pastes many lines as a block of code, and undoes it to the lines", async () => {
    const visit = await world.open({ as: await send("hi"), permissions: ["clipboard-read", "clipboard-write"] });
    const lines = Array.from({ length: 9 }, (_, n) => `line ${n}`).join("\n");
    const paste = async (text: string) => {
      await visit.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
      await visit.field.press("Control+v");
    };
    await visit.field.fill("log: ");
    await paste(lines);
    await eventually(
      "it is a block",
      async () => (await visit.field.inputValue()) === `log: \n\`\`\`\n${lines}\n\`\`\``,
    );
    await visit.field.press("Control+z");
    await eventually("it is the lines", async () => (await visit.field.inputValue()) === `log: ${lines}`);
    await visit.field.fill("");
    await paste("two\nlines");
    await eventually("it is pasted", async () => (await visit.field.inputValue()) === "two\nlines");
  });

  test("lets a wide table and long code scroll on a phone, and not the page", async () => {
    const long = `\`\`\`\n${"word ".repeat(60)}\n\`\`\``;
    const visit = await world.open({
      as: await send(`${TABLE}\n\n${long}`),
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    const boxes = visit.page.locator(".scroll-box");
    await boxes.nth(1).waitFor();
    const widths: [number, number][] = await visit.page.evaluate(
      "[...document.querySelectorAll('.scroll-box')].map((box) => [box.scrollWidth, box.clientWidth])",
    );
    for (const [inner, outer] of widths) {
      expect(inner).toBeGreaterThan(outer);
      expect(outer).toBeLessThanOrEqual(390);
    }
    for (const box of await boxes.all()) {
      await box.focus();
      await visit.page.keyboard.press("ArrowRight");
      await eventually("it scrolls", () => visit.page.evaluate("document.activeElement.scrollLeft > 0"));
    }
    expect(await visit.page.evaluate("document.documentElement.scrollWidth")).toBe(390);
  });

  test.each(["light", "dark"] as const)("has no problem of accessibility in the %s theme", async (colorScheme) => {
    const text = `## Title\n\n- [x] done\n\n> quote\n\n${CODE}\n\n${TABLE}\n\n[bank.example](https://evil.example)`;
    const visit = await world.open({ as: await send(text), colorScheme });
    await visit.page.locator(".hljs-comment").waitFor();
    expect(await axeProblems(visit.page)).toEqual([]);
  });

  test("scrolls through 500 messages with code, all of them coloured and few of them drawn", async () => {
    const ana = await world.server.user("ana");
    const run = (n: number) => ({ content: `Run **${n}**:\n\`\`\`js\nconst run = ${n}; // run ${n}\n\`\`\`` });
    await putMessages(
      world.server.ctx,
      Array.from({ length: 500 }, (_, n) => run(n)),
    );
    // Otherwise the page opens at the first unread message.
    await ana.post("/api/channels/1/read", {});
    const visit = await world.open({ as: ana });
    const comments = visit.page.locator(".hljs-comment");
    await comments.first().waitFor();
    const seen = new Set<string>();
    await visit.page.locator(".scroller").hover();
    await eventually("all were seen", async () => {
      for (const text of await comments.allTextContents()) seen.add(text);
      expect(await visit.page.locator("article.message").count()).toBeLessThan(100);
      await visit.page.mouse.wheel(0, -400);
      await visit.drawn();
      return seen.size === 500;
    });
  });

  test("formats pins, quotes and search results, with what was found", async () => {
    const ana = await world.server.user("ana");
    await ana.post("/api/channels", { name: "Hall" });
    const post = (body: object) => ana.post("/api/messages", { channel_slug: "hall", ...body });
    const { message_id: id } = (await post({ content: "A **bold** finding in `code`" })).body;
    expect((await ana.post(`/api/messages/${id}/pin`)).status).toBe(200);
    await post({ content: "yes", reply_to_id: id });
    // The search index follows a message shortly after, and the page searches once.
    await eventually("the message is in the search index", async () => {
      const { body } = await ana.get("/api/search/messages?q=bold+code");
      return body.messages.length === 1;
    });
    const visit = await world.open({ as: ana, at: "#/c/hall" });
    await visit.page.locator(".quote strong", { hasText: "bold" }).waitFor();
    await visit.page.getByRole("button", { name: "Pinned messages" }).click();
    await visit.page.locator(".message-entry strong", { hasText: "bold" }).waitFor();
    await visit.page.getByRole("button", { name: "Search" }).click();
    await visit.page.getByRole("searchbox").fill("bold code");
    await visit.page.keyboard.press("Enter");
    await visit.page.locator(".message-entry strong mark", { hasText: "bold" }).waitFor();
    await visit.page.locator(".message-entry code mark", { hasText: "code" }).waitFor();
  });
});
