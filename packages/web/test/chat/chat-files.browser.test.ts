import { beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { stillGif } from "../../../server/test/support/gifs.ts";
import { type Client, eventually } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";
import type { ChatVisit } from "../support/chat-visit.ts";
import { silence } from "../support/silence.ts";
import { Finger, PHONE } from "../support/touch.ts";

const IMAGES = join(import.meta.dir, "../../../../docs/images");
const picture = async (name: string) => ({
  name,
  mimeType: "image/png",
  buffer: Buffer.from(await Bun.file(join(IMAGES, name)).bytes()),
});
const text = (name: string, content: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(content) });
const LINES = Array.from({ length: 400 }, (_, n) => `line ${n} <b>of text</b>`).join("\n");

describe("files in the chat", () => {
  const world = eachServer();
  let ana: Client;

  beforeEach(async () => {
    ana = await world.server.user("ana");
    await ana.post("/api/channels", { name: "Hall" });
  });

  const open = (options = {}) => world.open({ as: ana, at: "#/c/hall", ...options });
  const attach = async ({ page }: ChatVisit, files: Parameters<Locator["setInputFiles"]>[0]) => {
    const input = page.locator(".composer input[type=file]").first();
    await input.waitFor({ state: "attached" });
    await input.setInputFiles(files);
  };
  const isReady = ({ page }: ChatVisit, count: number) =>
    eventually(`${count} files are uploaded`, async () => {
      return (await page.locator(".attachment[data-state=ready]").count()) === count;
    });
  const send = ({ page }: ChatVisit) => page.getByRole("button", { name: "Send", exact: true });
  const sent = async ({ page }: ChatVisit) => page.locator(".message:not(.pending) .files").first().waitFor();
  /** Runs code of the page. The tests have no types of browsers. */
  const inPage = (page: Page, code: string) => page.evaluate(`(() => { ${code} })()`);
  const drop = (page: Page, type: string) =>
    inPage(
      page,
      `const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["dropped"], "dropped.txt", { type: "text/plain" }));
      const event = new DragEvent("${type}", { bubbles: true, cancelable: true, dataTransfer });
      document.querySelector(".scroller").dispatchEvent(event);`,
    );

  test("files are described, removed and sent without text; the message, its gallery and the panel are accessible", async () => {
    const visit = await open({ viewport: { width: 1280, height: 800 } });
    const { page } = visit;
    await attach(visit, [
      await picture("phone.png"),
      await picture("page.png"),
      text("notes.txt", LINES),
      text("empty.txt", ""),
    ]);
    await isReady(visit, 3);
    await page.getByText("This file is empty.").waitFor();
    expect(await send(visit).isDisabled()).toBe(true);
    expect(await axeProblems(page, ".composer")).toEqual([]);
    await page.getByRole("button", { name: "Remove empty.txt" }).click();
    await page.getByRole("button", { name: "Describe phone.png" }).click();
    await page.getByLabel("Description").fill("A phone with a chat");
    await page.getByRole("button", { name: "Save" }).click();
    await isReady(visit, 3);
    await send(visit).click();
    await sent(visit);
    expect(await page.locator(".attachment").count()).toBe(0);
    // A text is shown as text, whatever it says.
    await page.locator(".files pre", { hasText: "line 0 <b>of text</b>" }).waitFor();
    await page.getByRole("button", { name: "Show more" }).click();
    await page.locator(".files pre", { hasText: "line 399" }).waitFor();
    expect(await axeProblems(page)).toEqual([]);

    // By key: the list may still move to make room for the long text, and a press of the mouse would miss.
    await page.getByRole("button", { name: "A phone with a chat. Open" }).press("Enter");
    const gallery = page.getByRole("dialog", { name: "A phone with a chat" });
    await gallery.waitFor();
    expect(await axeProblems(page, ".lightbox")).toEqual([]);
    await page.getByRole("button", { name: "Describe phone.png" }).click();
    const describing = page.getByRole("dialog", { name: "Describe the picture" });
    expect(await axeProblems(page, "dialog:not(.lightbox)")).toEqual([]);
    await describing.getByRole("textbox").fill("A phone + a chat, 10 times");
    await describing.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog", { name: "A phone + a chat, 10 times" }).waitFor();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("dialog", { name: "Picture page.png" }).waitFor();
    await page.getByText("2 of 2").waitFor();
    await page.keyboard.press("+");
    await page.locator(".stage[data-zoomed=true]").waitFor();
    await page.keyboard.press("0");
    await page.keyboard.press("Escape");
    await page.locator(".lightbox").waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Files", exact: true }).click();
    const side = page.getByRole("complementary", { name: "Files" });
    await side.getByRole("link", { name: "notes.txt" }).first().waitFor();
    expect(await axeProblems(page, ".side")).toEqual([]);
    await side.getByLabel("Pictures").check();
    await eventually("only pictures are listed", async () => (await side.locator(".picture").count()) === 2);
  });

  test("a file that is too large is refused before it is uploaded", async () => {
    const visit = await open();
    const uploads: string[] = [];
    visit.page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/api/files")) uploads.push(request.url());
    });
    await visit.page.locator(".composer input[type=file]").first().waitFor({ state: "attached" });
    await inPage(
      visit.page,
      `const input = document.querySelector(".composer input[type=file]");
      const chosen = new DataTransfer();
      chosen.items.add(new File([new Uint8Array(26 * 1024 * 1024)], "large.bin"));
      input.files = chosen.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));`,
    );
    await visit.waitFor("Too large: 26 MiB. The limit is 25 MiB.");
    expect(uploads).toEqual([]);
  });

  test("the keyboard alone sends what was dropped and pasted, and the draft keeps its files", async () => {
    const visit = await open();
    const { page } = visit;
    await page.locator(".composer input[type=file]").first().waitFor({ state: "attached" });
    await drop(page, "dragover");
    await page.getByText("Drop files to attach them").waitFor();
    await drop(page, "drop");
    await page.locator(".drop-target").waitFor({ state: "detached" });
    await isReady(visit, 1);
    await inPage(
      page,
      `const clipboardData = new DataTransfer();
      clipboardData.items.add(new File(["pasted"], "pasted.txt", { type: "text/plain" }));
      const event = new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData });
      document.getElementById("text").dispatchEvent(event);`,
    );
    await isReady(visit, 2);
    await page.reload();
    await visit.live();
    await isReady(visit, 2);
    await visit.field.fill("both");
    await visit.field.press("Enter");
    await sent(visit);
    const { messages } = (await ana.get("/api/messages?channel_slug=hall")).body;
    expect(messages.at(-1)).toMatchObject({
      content: "both",
      files: [{ name: "dropped.txt" }, { name: "pasted.txt" }],
    });
    await page.reload();
    await visit.live();
    await sent(visit);
    expect(await page.locator(".attachment").count()).toBe(0);
  });

  test("sound plays with the browser's controls, a reply names the file, and the menu has its link", async () => {
    const visit = await open({ permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = visit;
    await attach(visit, { name: "tone.wav", mimeType: "audio/wav", buffer: silence(1) });
    await isReady(visit, 1);
    await send(visit).click();
    const sound = page.locator("audio");
    await sound.waitFor();
    await eventually("its length is known", () => page.evaluate("document.querySelector('audio').duration === 1"));
    await visit.act(visit.message("tone.wav"), "Reply");
    await page.locator(".reply-line", { hasText: "📎 tone.wav" }).waitFor();
    await visit.say("listen");
    await page.locator(".quote", { hasText: "📎 tone.wav" }).waitFor();
    const message = page.locator("article.message", { has: sound });
    await visit.act(message, "More", "Copy link to tone.wav");
    const link = new URL(String(await page.evaluate("navigator.clipboard.readText()")));
    expect(link.pathname).toMatch(/^\/api\/files\/\d+$/);
    await visit.act(message, "More", "Delete");
    await sound.waitFor({ state: "detached" });
  });

  test("with reduced motion an animation stands still until it is played", async () => {
    const visit = await open({ reducedMotion: "reduce" });
    const { page } = visit;
    await attach(visit, { name: "wave.gif", mimeType: "image/gif", buffer: Buffer.from(stillGif(40, 30)) });
    await isReady(visit, 1);
    await send(visit).click();
    await sent(visit);
    const source = () => page.locator(".message .picture img").getAttribute("src");
    expect(await source()).toEndWith("/preview");
    await page.getByRole("button", { name: "Play the animation" }).click();
    await eventually("it plays", async () => /\/files\/\d+$/.test((await source()) ?? ""));
  });

  test("on a slow network an upload shows its progress, holds the message and can be cancelled", async () => {
    const visit = await open();
    const { page } = visit;
    await page.locator(".composer input[type=file]").first().waitFor({ state: "attached" });
    const network = await page.context().newCDPSession(page);
    const slow = { offline: false, latency: 100, downloadThroughput: -1, uploadThroughput: 20_000 };
    await network.send("Network.emulateNetworkConditions", slow);
    await attach(visit, text("log.txt", "x".repeat(2_000_000)));
    const progress = page.getByRole("progressbar", { name: "Upload of log.txt" });
    await eventually("it moves", async () => Number(await progress.getAttribute("value")) > 0);
    expect(await send(visit).isDisabled()).toBe(true);
    await page.getByRole("status").filter({ hasText: "Uploading 1 file" }).waitFor();
    await page.getByRole("button", { name: "Cancel the upload of log.txt" }).click();
    await page.locator(".attachment").waitFor({ state: "detached" });
    await visit.field.fill("without");
    expect(await send(visit).isDisabled()).toBe(false);
  });

  test("on a phone the clip offers files and the camera, and a swipe changes the picture", async () => {
    const visit = await open({ ...PHONE, viewport: { width: 360, height: 740 } });
    const { page } = visit;
    const finger = await Finger.on(page);
    await finger.tap(page.getByRole("button", { name: "Attach files" }));
    await page.getByRole("button", { name: "Take a photo" }).waitFor();
    await page.keyboard.press("Escape");
    await attach(visit, [await picture("phone.png"), await picture("page.png")]);
    await isReady(visit, 2);
    expect(await axeProblems(page, ".composer")).toEqual([]);
    await finger.tap(send(visit));
    await sent(visit);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await finger.tap(page.getByRole("button", { name: "Picture phone.png. Open" }));
    await page.locator(".lightbox .stage").waitFor();
    await inPage(
      page,
      `const stage = document.querySelector(".lightbox .stage");
      const touch = (clientX) => new Touch({ identifier: 1, target: stage, clientX, clientY: 300 });
      stage.dispatchEvent(new TouchEvent("touchstart", { bubbles: true, touches: [touch(300)] }));
      stage.dispatchEvent(new TouchEvent("touchend", { bubbles: true, changedTouches: [touch(60)] }));`,
    );
    await page.getByText("2 of 2").waitFor();
  });
});
