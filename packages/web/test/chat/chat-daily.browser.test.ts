import { afterAll, describe, expect, test } from "bun:test";
import { addEmoji } from "../../../server/test/support/emoji.ts";
import { newChannel } from "../../../server/test/support/new-channel.ts";
import { png } from "../../../server/test/support/pngs.ts";
import { PreviewSite, WITH_PREVIEWS } from "../../../server/test/support/preview-site.ts";
import { startTestServer } from "../../../server/test/support/servers/test-server.ts";
import { eachServer } from "../support/browser-world.ts";
import { walkPictures } from "../support/walk-pictures.ts";

const WIDE = { viewport: { width: 1280, height: 800 } } as const;

/** One day of two people: what each window does by itself is tested beside it, and here that they work one after another. */
describe("what people use every day, in a browser", () => {
  const site = new PreviewSite();
  afterAll(() => site[Symbol.dispose]());
  const world = eachServer(() => startTestServer({ ...WITH_PREVIEWS, rateLimits: "off" }), [400]);

  test("a name, a preview, a poll, a call, an emoji, a voice note, a reminder, a saved message, a forward and a scheduled message", async () => {
    const { server } = world;
    const [ann, ben] = [await server.user("ann"), await server.user("ben")];
    const team = await newChannel(ann, { name: "Team", is_private: true });
    await ann.put(`/api/channels/${team.id}/members/ben`, {});
    const at = `#/c/${team.slug}`;
    const [one, two] = [await world.open({ as: ann, at, ...WIDE }), await world.open({ as: ben, at, ...WIDE })];
    const picture = walkPictures(one.page);

    const profile = await one.openWindow("ann", "Your profile");
    await profile.getByLabel("Display name").fill("Анна");
    await profile.getByLabel("Status", { exact: true }).fill("Planning");
    await profile.getByRole("button", { name: "Save" }).click();
    await one.waitFor("Your name and status are saved.");
    await one.page.keyboard.press("Escape");
    await two.page.locator(".side .person", { hasText: "Анна" }).getByText("Planning").waitFor();

    await one.say(`The plan: ${site.rich("/plan", "Plan of the year")}`);
    await two.message("The plan").locator(".link-preview").getByText("Plan of the year").waitFor();
    await picture("preview");

    await one.page.getByRole("button", { name: "New poll" }).click();
    const asked = one.page.getByRole("dialog", { name: "New poll" });
    await asked.getByLabel("Question").fill("When do we meet?");
    await asked.getByLabel("Option 1", { exact: true }).fill("Monday");
    await asked.getByLabel("Option 2", { exact: true }).fill("Friday");
    await asked.getByRole("button", { name: "Send the poll" }).click();
    const poll = two.page.getByRole("group", { name: "Poll: When do we meet?" });
    await poll.getByRole("radio", { name: /^Friday/ }).check();
    await two.page.getByRole("button", { name: "Vote", exact: true }).click();
    await one.page.getByRole("radio", { name: "Friday 1 (100%)" }).waitFor();
    await picture("poll");

    await one.say("@here please vote");
    await two.message("please vote").locator(".mention.me", { hasText: "@here" }).waitFor();

    expect((await addEmoji(ben, "party_dot", png(40, 40))).status).toBe(201);
    await one.say("It works :party_dot:");
    await two.message("It works").getByRole("img", { name: ":party_dot:" }).waitFor();
    await two.message("It works").hover();
    await two.page.getByRole("button", { name: "Add a reaction" }).click();
    await two.page.getByRole("searchbox", { name: "Search emoji" }).fill("party");
    await two.page.getByRole("button", { name: "React with :party_dot:" }).click();
    await one.page.getByRole("button", { name: /^party_dot/ }).waitFor();

    await two.page.getByRole("button", { name: "Voice note" }).click();
    const recorder = two.page.getByRole("dialog", { name: "Voice note" });
    await two.page.getByRole("timer").getByText("0:01", { exact: true }).waitFor();
    await recorder.getByRole("button", { name: "Stop and listen" }).click();
    await recorder.getByRole("button", { name: "Send the voice note" }).click();
    await one.page.getByRole("group", { name: /^Voice note/ }).waitFor();
    await picture("voice");

    await two.message("The plan").focus();
    await two.page.keyboard.press("m");
    const remind = two.page.getByRole("dialog", { name: "Remind me…" });
    await remind.getByRole("button", { name: "In 20 minutes" }).click();
    await two.page.getByText("You will be reminded:").waitFor();
    await server.ctx.db
      .updateTable("reminders")
      .set({ remind_at: Date.now() - 1_000 })
      .execute();
    await two.page.getByRole("button", { name: /^Notifications.*[1-9]/ }).click();
    await two.page.getByText("Reminder", { exact: false }).first().waitFor();
    await two.page.keyboard.press("Escape");

    await two.act("The plan", "More", "Save for later");
    const saved = await two.openWindow("ben", "Saved messages");
    await saved.getByText("The plan").waitFor();
    await two.page.keyboard.press("Escape");

    await one.act("The plan", "More", "Forward");
    const forward = one.page.getByRole("dialog", { name: "Forward a message" });
    await forward.getByRole("combobox").fill("general");
    await one.page.keyboard.press("Enter");
    await forward.getByRole("button", { name: "Forward", exact: true }).click();
    await one.page.getByText("Forwarded to general.").waitFor();

    await one.field.fill("Good morning");
    await one.page.getByRole("button", { name: "Send later or disappear" }).click();
    await one.page.getByRole("button", { name: "In 20 minutes" }).click();
    await one.page.getByText("It will be sent:").waitFor();
    await server.ctx.db
      .updateTable("scheduled_messages")
      .set({ send_at: Date.now() - 1_000 })
      .execute();
    await two.message("Good morning").waitFor();

    await one.page.evaluate("location.hash = '#/c/general'");
    await one.page.locator(".forwarded", { hasText: "The plan" }).waitFor();
    const source = one.page.locator(".forwarded").getByRole("link", { name: `Show in #${team.slug}` });
    await source.first().waitFor();
    expect(await source.count()).toBe(1);
    await picture("forward");
  });
});
