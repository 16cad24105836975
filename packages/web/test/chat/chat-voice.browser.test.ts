import { describe, expect, test } from "bun:test";
import type { Page, Route } from "playwright-core";
import { forwarded } from "../../../server/test/support/forwards.ts";
import { type Client, startTestServer } from "../../../server/test/support/servers/test-server.ts";
import { staff } from "../../../server/test/support/staff.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";
import { silence } from "../support/silence.ts";

const NARROW = { viewport: { width: 320, height: 640 }, colorScheme: "dark" } as const;

/** Waits until the recording has lasted so many seconds, as its clock says. */
const recorded = (page: Page, seconds: number) =>
  page.getByRole("timer").getByText(`0:0${seconds}`, { exact: true }).waitFor();

/** Sends a second of silence as a voice note, and returns the message's id. */
async function sendNote(client: Client, path = "/api/messages"): Promise<number> {
  const form = new FormData();
  form.set("file", new Blob([silence(1)]), "note.wav");
  form.set("voice", JSON.stringify({ duration_ms: 1_000, waveform: [50, 100] }));
  const { file } = (await client.post("/api/files", undefined, { raw: form })).body;
  const sent = await client.post(path, { channel_slug: "general", file_ids: [file.file_id] });
  return sent.body.message_id;
}

describe("voice notes, in a browser", () => {
  const world = eachServer(() => startTestServer({ rateLimits: "off" }), [503]);

  test("one is recorded on a phone, listened to and sent; another person plays it by keyboard and reads its words", async () => {
    const [ann, ben] = [await world.server.user("ann"), await world.server.user("ben")];
    const scribe = await world.server.agent("scribe");
    const { page } = await world.open({ as: ann, ...NARROW });
    await page.getByRole("button", { name: "Voice note" }).click();
    const dialog = page.getByRole("dialog", { name: "Voice note" });
    await recorded(page, 2);
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Stop and listen" }).click();
    const slider = dialog.getByRole("slider", { name: "Position in the voice note" });
    await dialog.getByRole("button", { name: "Play" }).click();
    await dialog.getByRole("button", { name: "Pause" }).waitFor();
    expect(await slider.getAttribute("aria-valuetext")).toMatch(/^0:0\d of 0:0\d$/);
    await dialog.getByRole("button", { name: "Play" }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Send the voice note" }).focus();
    await page.keyboard.press("Enter");
    const note = page.getByRole("group", { name: /^Voice note, 0:0[1-9]/ });
    await note.waitFor();
    await dialog.waitFor({ state: "detached" });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);

    const { messages } = (await ben.get("/api/messages?channel_slug=general")).body;
    const [{ file_id, mime_type, voice }] = messages[0].files;
    expect([mime_type, voice.transcript]).toEqual(["audio/webm", null]);
    expect(voice.duration_ms).toBeGreaterThan(1_500);
    expect(voice.waveform).toContain(100);

    const other = (await world.open({ as: ben })).page;
    const theirs = other.getByRole("group", { name: /^Voice note/ });
    const wave = theirs.getByRole("slider");
    await wave.focus();
    await other.keyboard.press("Space");
    await theirs.getByRole("button", { name: "Pause" }).waitFor();
    await theirs.getByRole("button", { name: "Play" }).waitFor();
    await other.keyboard.press("End");
    expect(await wave.getAttribute("aria-valuenow")).toBe(await wave.getAttribute("aria-valuemax"));
    const end = Number(await wave.getAttribute("aria-valuemax"));
    await other.keyboard.press("ArrowLeft");
    expect(Math.abs(Number(await wave.getAttribute("aria-valuenow")) - Math.max(0, end - 5))).toBeLessThanOrEqual(1);
    await other.keyboard.press("Home");
    expect(await wave.getAttribute("aria-valuenow")).toBe("0");
    await theirs.getByRole("button", { name: "Speed: 1 times" }).click();
    await theirs.getByRole("button", { name: "Speed: 1.25 times" }).waitFor();
    expect(await other.evaluate("document.querySelector('audio').playbackRate")).toBe(1.25);
    expect(await theirs.getByRole("button", { name: "Write a transcript" }).count()).toBe(0);

    await scribe.put(`/api/files/${file_id}/transcript`, { text: "beep beep", language: "en" });
    await theirs.getByText("Transcript by scribe").click();
    await theirs.getByText("beep beep").waitFor();
    expect(await axeProblems(other)).toEqual([]);
    await note.getByRole("button", { name: "Change the transcript" }).click();
    await page.getByRole("textbox", { name: "What is said" }).fill("peep");
    await page.getByRole("button", { name: "Save" }).click();
    await theirs.getByText("peep", { exact: true }).waitFor();
    // The speed is remembered.
    await other.reload();
    await theirs.getByRole("button", { name: "Speed: 1.25 times" }).waitFor();
  });

  test("a long recording is not thrown away without a question, and only one note plays", async () => {
    const ann = await world.server.user("ann");
    const { page } = await world.open({ as: ann });
    const opener = page.getByRole("button", { name: "Voice note", exact: true });
    await opener.click();
    const dialog = page.getByRole("dialog", { name: "Voice note" });
    await page.getByRole("timer").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    for (let n = 0; n < 2; n++) {
      await opener.click();
      await recorded(page, 4);
      await page.keyboard.press("Escape");
      const question = page.getByRole("dialog", { name: "Throw the recording away?" });
      await question.getByRole("button", { name: "Cancel" }).click();
      await question.waitFor({ state: "detached" });
      await dialog.getByRole("button", { name: "Send the voice note" }).click();
      await dialog.waitFor({ state: "detached" });
      await page
        .getByRole("group", { name: /^Voice note/ })
        .nth(n)
        .waitFor();
    }
    const [first, second] = [0, 1].map((n) => page.getByRole("group", { name: /^Voice note/ }).nth(n));
    if (first === undefined || second === undefined) throw new Error("no notes");
    await first.getByRole("button", { name: "Play" }).click();
    await first.getByRole("button", { name: "Pause" }).waitFor();
    await second.getByRole("button", { name: "Play" }).click();
    await second.getByRole("button", { name: "Pause" }).waitFor();
    await first.getByRole("button", { name: "Play" }).waitFor();
  });

  test("a recording outlives its channel, and nothing is sent of one that is thrown away while it is sent", async () => {
    const ann = await world.server.user("ann");
    await ann.post("/api/channels", { name: "Other" });
    const { page } = await world.open({ as: ann, at: "#/c/general" });
    const opener = page.getByRole("button", { name: "Voice note", exact: true });
    const dialog = page.getByRole("dialog", { name: "Voice note" });
    const question = page.getByRole("dialog", { name: "Throw the recording away?" });
    await opener.click();
    await recorded(page, 3);
    await page.evaluate("location.hash = '#/c/other'");
    await page.locator("#conversation[aria-label='Other']").waitFor();
    await dialog.getByRole("button", { name: "Stop and listen" }).click();
    await dialog.getByRole("button", { name: "Record again" }).click();
    await question.getByRole("button", { name: "Cancel" }).click();
    await dialog.getByRole("button", { name: "Send the voice note" }).click();
    await dialog.waitFor({ state: "detached" });

    const { promise: held, resolve: hold } = Promise.withResolvers<Route>();
    await page.route("**/api/files", hold);
    await opener.click();
    await recorded(page, 1);
    await dialog.getByRole("button", { name: "Send the voice note" }).click();
    const ended = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/api/files"));
    await held;
    await page.keyboard.press("Escape");
    await question.getByRole("button", { name: "Throw away" }).click();
    await dialog.waitFor({ state: "detached" });
    await ended;
    const sent = async (slug: string) => (await ann.get(`/api/messages?channel_slug=${slug}`)).body.messages.length;
    expect([await sent("general"), await sent("other")]).toEqual([1, 0]);
  });

  test("only a note's sender may write its words, and it can be played after a failure", async () => {
    const ben = await world.server.user("ben");
    await sendNote(await world.server.agent("scribe"), "/api/agenthub/send");
    const guest = (await world.open({ at: "#/c/general" })).page;
    const note = guest.getByRole("group", { name: "Voice note, 0:01" });
    await guest.route("**/api/files/**", (route) => route.fulfill({ status: 503 }));
    await note.getByRole("button", { name: "Play" }).click();
    const failure = note.getByText("This browser can't play this voice note.");
    await failure.waitFor();
    expect(await note.getByRole("button", { name: "Write a transcript" }).count()).toBe(0);
    await guest.unroute("**/api/files/**");
    await note.getByRole("button", { name: "Play" }).click();
    await failure.waitFor({ state: "detached" });
    await note.getByRole("button", { name: "Play" }).waitFor();

    const [general] = (await ben.get("/api/channels?channel_slug=general")).body.channels;
    await forwarded(ben, await sendNote(ben), general.id);
    const { page } = await world.open({ as: ben, at: "#/c/general", ...NARROW });
    await page.getByRole("group", { name: "Voice note, 0:01" }).nth(2).waitFor();
    const write = page.getByRole("button", { name: "Write a transcript" });
    expect(await write.count()).toBe(1);
    expect((await page.getByRole("slider").first().boundingBox())?.width).toBeGreaterThan(150);
    await write.click();
    await page.getByRole("textbox", { name: "What is said" }).fill("silence");
    await page.keyboard.press("Escape");
    const question = page.getByRole("dialog", { name: "Close without saving?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Change the transcript" }).waitFor();

    // Others see no button, and who moderates removes the words for everyone.
    expect(await guest.getByRole("button", { name: "Remove the transcript" }).count()).toBe(0);
    const mod = (await world.open({ as: await staff(world.server, "minder", 1), at: "#/c/general" })).page;
    await mod.getByRole("button", { name: "Remove the transcript" }).click();
    await mod.getByRole("dialog").getByRole("button", { name: "Remove the transcript" }).click();
    await page.getByRole("button", { name: "Change the transcript" }).waitFor({ state: "detached" });
    await mod.getByRole("button", { name: "Remove the transcript" }).waitFor({ state: "detached" });
  });

  test.each([
    ["NotAllowedError", "The browser doesn't let this page use the microphone."],
    ["NotFoundError", "No microphone was found."],
    ["NotReadableError", "The microphone could not be opened."],
  ])("without a microphone, by %s, the page says why", async (name, text) => {
    const ann = await world.server.user("ann");
    const { page } = await world.open({ as: ann });
    await page.evaluate(
      `navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("no", "${name}"))`,
    );
    await page.getByRole("button", { name: "Voice note", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Voice note" });
    await dialog.getByRole("alert").getByText(text).waitFor();
    await dialog.getByRole("button", { name: "Try again" }).waitFor();
  });

  test("what liars send is shown and played all the same, in Chinese and as text", async () => {
    const [ann, mallory] = [await world.server.user("ann"), await world.server.user("mallory")];
    const form = new FormData();
    // Bytes that no browser plays.
    form.set(
      "file",
      new Blob([Buffer.from("1a45dfa3874282847765626d18538067ff1654ae6b85ae83d781018381021f43b675ff", "hex")]),
      "<b>.webm",
    );
    form.set("voice", JSON.stringify({ duration_ms: 900_000, waveform: [] }));
    const { file } = (await mallory.post("/api/files", undefined, { raw: form })).body;
    await mallory.post("/api/messages", { channel_slug: "general", file_ids: [file.file_id] });
    await mallory.put(`/api/files/${file.file_id}/transcript`, { text: "<img src=x onerror=alert(1)>\n‮" });
    const { page } = await world.open({ as: ann, locale: "zh-CN" });
    const note = page.getByRole("group", { name: "语音留言，15:00" });
    await note.getByText("文字稿").click();
    await note.getByText("<img src=x onerror=alert(1)>").waitFor();
    await note.getByRole("button", { name: "播放", exact: true }).click();
    await note.getByText("此浏览器无法播放这条语音留言").waitFor();
  });
});
