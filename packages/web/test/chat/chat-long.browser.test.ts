import { describe, expect, test } from "bun:test";
import { eventually } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";

/** Long and pasted text, and the keys that help to write. */
describe("writing a long text", () => {
  const world = eachServer();
  const LONG = Array.from({ length: 90 }, (_, at) => `Paragraph ${at}. ${"word ".repeat(16)}`).join("\n\n");

  const opened = async (size = { width: 1280, height: 720 }) => {
    const ann = await world.server.user("ann");
    const visit = await world.open({
      as: ann,
      at: "#/c/general",
      permissions: ["clipboard-read", "clipboard-write"],
      viewport: size,
    });
    const value = (expected: string) =>
      eventually(`the field has ${expected}`, async () => (await visit.field.inputValue()) === expected);
    const paste = async (text: string) => {
      await visit.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
      await visit.field.press("Control+v");
    };
    const messages = async () => (await ann.get("/api/messages?channel_slug=general")).body.messages;
    return { ann, visit, page: visit.page, field: visit.field, value, paste, messages };
  };

  test("becomes a file by one press", async () => {
    const { visit, page, field, value, messages } = await opened({ width: 320, height: 640 });
    await field.fill(LONG);
    const button = page.getByRole("button", { name: "Attach as a file" });
    await button.waitFor();
    expect(await axeProblems(page, ".composer")).toEqual([]);
    await button.click();
    await value("");
    await page.locator(".attachments").waitFor();
    await eventually("it can be sent", () => page.getByRole("button", { name: "Send", exact: true }).isEnabled());
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await visit.page.locator(".message .files").waitFor();
    expect((await messages()).at(-1).files).toMatchObject([{ name: "message.txt" }]);
  });

  test("becomes messages that follow each other", async () => {
    const { page, field, value, messages } = await opened();
    await field.fill(LONG);
    await page.getByRole("button", { name: /^Send as \d messages$/ }).click();
    await value("");
    await page.getByText("Paragraph 89.").waitFor();
    const sent = (await messages()).filter(({ type }: { type: string }) => type === "text");
    expect(sent.length).toBe(3);
    expect(
      sent
        .map(({ content }: { content: string }) => content)
        .join("\n\n")
        .replaceAll(/\s+/g, " "),
    ).toBe(LONG.trim().replaceAll(/\s+/g, " "));
  });

  test("offers a block for short code that is pasted, and keeps the indentation of its first line", async () => {
    const { visit, page, field, value, paste, messages } = await opened();
    await paste("    one();\n    two();");
    await page.getByRole("button", { name: "Make it a code block" }).click();
    await value("```\n    one();\n    two();\n```");
    await field.press("Control+z");
    await value("    one();\n    two();");
    await page.getByRole("button", { name: "Keep it as text" }).waitFor({ state: "detached" });
    await field.press("Enter");
    await visit.waitFor("two();");
    expect((await messages()).at(-1).content).toBe("    one();\n    two();");
    await paste("just\ntext");
    await value("just\ntext");
    expect(await page.getByRole("button", { name: "Make it a code block" }).count()).toBe(0);
  });

  test("makes links, bold and italic text and lists", async () => {
    const { field, value, paste } = await opened();
    await field.fill("see here");
    await field.press("Shift+Control+ArrowLeft");
    await paste("https://a.example/page");
    await value("see [here](https://a.example/page)");
    await field.press("Control+z");
    await value("see here");
    await field.press("Control+a");
    await field.press("Control+b");
    await value("**see here**");
    await field.press("Control+b");
    await value("see here");
    await field.press("Control+i");
    await value("_see here_");
    await field.fill("1. one");
    await field.press("Shift+Enter");
    await field.pressSequentially("two");
    await field.press("Shift+Enter");
    await field.press("Shift+Enter");
    await value("1. one\n2. two\n");
  });
});
