import { beforeEach, describe, expect, test } from "bun:test";
import { type Client, eventually } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";
import type { ChatVisit } from "../support/chat-visit.ts";
import { Finger, PHONE } from "../support/touch.ts";

describe("the chat on a phone", () => {
  const world = eachServer();
  let ana: Client;
  let ben: Client;

  beforeEach(async () => {
    [ana, ben] = [await world.server.user("ana"), await world.server.user("ben")];
  });

  const say = async (by: Client, count: number) => {
    for (let n = 1; n <= count; n++) {
      await by.post("/api/messages", { channel_slug: "general", content: `number ${n}.` });
    }
  };
  /** Opens the chat on a phone; the finger is the user's. */
  const open = async (as: Client, at = ""): Promise<{ visit: ChatVisit; finger: Finger }> => {
    const visit = await world.open({ as, at, ...PHONE });
    return { visit, finger: await Finger.on(visit.page) };
  };

  test("every tap on a message and then on one of its buttons acts, wherever the message is", async () => {
    await say(ben, 6);
    const { visit, finger } = await open(ana);
    await visit.waitFor("number 6.");
    for (let n = 1; n <= 6; n++) {
      const message = visit.message(`number ${n}.`);
      await visit.placeOf(message);
      await finger.tap(message.locator(".body"));
      await finger.tap(message.getByRole("button", { name: "React with 👍" }));
      await message.getByRole("button", { name: "👍: 1", pressed: true }).waitFor();
      await finger.tap(message.locator(".body"));
      await finger.tap(message.getByRole("button", { name: "Reply", exact: true }));
      await visit.page.locator(".reply-line", { hasText: `number ${n}.` }).waitFor();
      await finger.tap(visit.page.getByRole("button", { name: "Cancel reply" }));
    }
    const last = visit.message("number 6.");
    await finger.tap(last.locator(".body"));
    await finger.tap(last.getByRole("button", { name: "Add a reaction" }));
    await finger.tap(last.getByRole("button", { name: "React with 🎉" }));
    await last.getByRole("button", { name: "🎉: 1", pressed: true }).waitFor();
    await finger.tap(last.locator(".body"));
    await finger.tap(last.getByRole("button", { name: "More" }));
    await finger.tap(last.getByRole("button", { name: "Report" }));
    await visit.page.getByRole("dialog", { name: "Report" }).waitFor();
  });

  test("a message's buttons disappear when the user taps elsewhere", async () => {
    await say(ben, 2);
    const { visit, finger } = await open(ana);
    const message = visit.message("number 2.");
    await visit.placeOf(message);
    await finger.tap(message.locator(".body"));
    await message.locator(".actions").waitFor();
    await finger.tap(visit.field);
    await message.locator(".actions").waitFor({ state: "detached" });
    expect(await visit.page.locator(".actions").count()).toBe(0);
    await eventually("the field is focused", () => visit.page.evaluate("document.activeElement.id === 'text'"));
  });

  test("a long press opens a sheet, on which lifting the finger presses nothing, and its entries act", async () => {
    await say(ben, 12);
    const { visit, finger } = await open(ana);
    const message = visit.message("number 12.");
    const sheet = visit.page.getByRole("dialog", { name: "Actions for the message from ben" });
    const hold = async () => {
      await visit.placeOf(message);
      await finger.hold(message.locator(".body"), sheet);
      await finger.lift();
      expect(await sheet.isVisible()).toBe(true);
    };
    await hold();
    await finger.tap(sheet.getByRole("button", { name: "React with 🎉" }));
    await message.getByRole("button", { name: "🎉: 1", pressed: true }).waitFor();
    await sheet.waitFor({ state: "detached" });
    await hold();
    await finger.tap(sheet.getByRole("button", { name: "Reply", exact: true }));
    await visit.page.locator(".reply-line", { hasText: "number 12." }).waitFor();
    await hold();
    expect(await axeProblems(visit.page, "dialog")).toEqual([]);
    await finger.tap(sheet.getByRole("button", { name: "Report" }));
    const report = visit.page.getByRole("dialog", { name: "Report" });
    await report.getByRole("textbox").fill("it only counts");
    await finger.tap(report.getByRole("button", { name: "Report" }));
    await visit.waitFor("Thanks. A moderator will review it.");
  });
});
