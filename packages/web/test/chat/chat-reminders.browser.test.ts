import { describe, expect, test } from "bun:test";
import type { Notification } from "@parley/protocol/notifications";
import type { Page } from "playwright-core";
import { newChannel } from "../../../server/test/support/new-channel.ts";
import { sayId } from "../../../server/test/support/say.ts";
import { eventually, startTestServer } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";
import { fakeNotifications, shownIn } from "../support/fake-notifications.ts";

const NARROW = { viewport: { width: 320, height: 640 }, colorScheme: "dark" } as const;

const shot = async (page: Page, name: string) => {
  if (process.env.PARLEY_SHOTS) await page.screenshot({ path: `${process.env.PARLEY_SHOTS}/${name}.png` });
};

describe("reminders, in a browser", () => {
  const world = eachServer(() => startTestServer({ rateLimits: "off" }));
  /** Lets the time of all reminders come. The page's clock is the real one. */
  const come = () =>
    world.server.ctx.db
      .updateTable("reminders")
      .set({ remind_at: Date.now() - 1_000 })
      .where("ended_at", "is", null)
      .execute();

  test("a message is chosen by a key, the reminder is changed, comes in the bell, and comes again", async () => {
    const [ann, ben] = [await world.server.user("ann"), await world.server.user("ben")];
    const id = await sayId(ann, "general", "Sign the contract");
    const { page } = await world.open({ as: ben, ...NARROW });
    const message = page.locator(`[data-id="${id}"]`);
    await message.waitFor();
    await message.focus();
    await page.keyboard.press("m");
    const asked = page.getByRole("dialog", { name: "Remind me…" });
    await asked.getByRole("textbox", { name: "Note (optional)" }).fill("Before noon");
    expect(await axeProblems(page)).toEqual([]);
    await shot(page, "remind");
    await asked.getByRole("button", { name: "In 20 minutes" }).click();
    await page.getByText("You will be reminded:").waitFor();

    const bell = page.getByRole("button", { name: /^Notifications/ });
    const openBell = async () => {
      // On a phone it is in the list of channels, which stays open below a window.
      if ((await page.locator(".sidebar[data-open]").count()) === 0)
        await page.getByRole("button", { name: "Open the channel list" }).click();
      await bell.click();
    };
    await openBell();
    await page.getByRole("button", { name: "Reminders" }).click();
    const list = page.getByRole("dialog", { name: "Reminders" });
    const waiting = list.getByRole("region", { name: "Waiting reminders" });
    await waiting.getByText("ann: Sign the contract").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await shot(page, "reminders");
    await waiting.getByRole("button", { name: /^Change/ }).click();
    await waiting.getByRole("textbox", { name: "Note (optional)" }).fill("After noon");
    await waiting.getByRole("button", { name: "Save" }).click();
    await waiting.getByText("After noon").waitFor();
    await come();
    await list.getByText("No reminder waits.").waitFor();
    await list.getByRole("region", { name: "Done" }).getByText("After noon").waitFor();
    await page.keyboard.press("Escape");

    await openBell();
    const panel = page.getByRole("region", { name: "Notifications" });
    await panel.getByText(/^Reminder: ann in /).waitFor();
    await panel.getByText("After noon").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await shot(page, "reminder-bell");
    await panel.getByRole("button", { name: "Again in 20 minutes" }).click();
    await page.getByText("You will be reminded again:").waitFor();
    expect((await ben.get("/api/reminders?status=waiting")).body.reminders).toMatchObject([
      { message_id: id, note: "After noon" },
    ]);
    await panel.getByRole("button", { name: "Another time…" }).click();
    await asked.getByRole("textbox", { name: "Note (optional)" }).waitFor();
    expect(await asked.getByRole("textbox", { name: "Note (optional)" }).inputValue()).toBe("After noon");
  });

  test("the page announces one that is due, also of a muted channel that it shows, but not during a pause", async () => {
    const [ann, ben] = [await world.server.user("ann"), await world.server.user("ben")];
    const { id, slug } = await newChannel(ann, { name: "Den" });
    await ben.post(`/api/channels/${id}/join`);
    const message_id = await sayId(ann, slug, "Sign the **contract**");
    await ben.put("/api/notifications/settings", { channels: { [id]: { level: "none", muted: true } } });
    const { page, live } = await world.open({ as: ben, at: `#/c/${slug}` });
    await page.context().addInitScript(fakeNotifications);
    await page.evaluate("localStorage.setItem('fake-permission', 'granted')");
    await page.evaluate("localStorage.setItem('parley.notifications', 'on')");
    await page.reload();
    await live();
    /** Returns the notification of a reminder that is due now. */
    const due = async (note: string | null) => {
      const remind_at = new Date(Date.now() + 60_000).toISOString();
      const made = await ben.post("/api/reminders", { message_id, remind_at, note });
      const { reminder_id } = made.body.reminder;
      await come();
      return eventually("it is in the list", async () => {
        const { notifications } = (await ben.get("/api/notifications")).body;
        const found = notifications.find((each: Notification) => each.reminder?.reminder_id === reminder_id);
        return found?.notification_id as number | undefined;
      });
    };
    const shown = async (count: number) =>
      eventually(`${count} are shown`, async () => {
        const all = await shownIn(page);
        return all.length >= count ? all : undefined;
      });
    const title = "Reminder: ann in Den";
    const first = { title, body: "Before noon", tag: `notice-${await due("Before noon")}` };
    expect(await shown(1)).toEqual([first]);
    const second = { title, body: "Sign the contract", tag: `notice-${await due(null)}` };
    expect(await shown(2)).toEqual([first, second]);
    const pause = (muted_until: string | null) => ben.put("/api/notifications/settings", { muted_until });
    await pause(new Date(Date.now() + 3_600_000).toISOString());
    await page.getByRole("button", { name: /^Notifications.*paused/ }).waitFor();
    const silent = await due("in the pause");
    await eventually("it is over for this page", async () =>
      (JSON.parse((await page.evaluate("localStorage.getItem('parley.announced')")) ?? "[]") as number[]).includes(
        -silent,
      ),
    );
    await pause(null);
    await page.getByRole("button", { name: /^Notifications.*paused/ }).waitFor({ state: "detached" });
    const third = { title, body: "after it", tag: `notice-${await due("after it")}` };
    expect(await shown(3)).toEqual([first, second, third]);
  });

  test("more of them than a page are shown by a press, those that are done from the newest on", async () => {
    const ann = await world.server.user("ann");
    const message_id = await sayId(ann, "general", "Sign the contract");
    const reminder = { message_id, note: "first", remind_at: new Date(Date.now() + 60_000).toISOString() };
    await ann.post("/api/reminders", reminder);
    const { db } = world.server.ctx;
    const { id: _, ...row } = await db.selectFrom("reminders").selectAll().executeTakeFirstOrThrow();
    const rows = Array.from({ length: 60 }, (_, at) => ({
      ...{ ...row, note: `number ${at + 1}`, remind_at: at + 1 },
      ...{ status: "done" as const, ended_at: Date.now() },
    }));
    await db.insertInto("reminders").values(rows).execute();
    const { page } = await world.open({ as: ann, ...NARROW });
    await page.getByRole("button", { name: "Open the channel list" }).click();
    await page.getByRole("button", { name: /^Notifications/ }).click();
    await page.getByRole("button", { name: "Reminders" }).click();
    const done = page.getByRole("dialog", { name: "Reminders" }).getByRole("region", { name: "Done" });
    await done.getByText("number 60", { exact: true }).waitFor();
    const notes = () => done.locator("li b").allTextContents();
    expect((await notes()).slice(0, 2)).toEqual(["number 60", "number 59"]);
    expect(await done.getByText("number 1", { exact: true }).count()).toBe(0);
    await done.getByRole("button", { name: "Show more" }).click();
    await done.getByText("number 1", { exact: true }).waitFor();
    expect(await notes()).toHaveLength(60);
  });

  test("one of a message that is gone says so, in the list and in the bell, in Spanish", async () => {
    const [ann, ben] = [await world.server.user("ann"), await world.server.user("ben")];
    const id = await sayId(ann, "general", "soon gone");
    const visit = await world.open({ as: ben, locale: "es" });
    const { page } = visit;
    await visit.act(page.locator(`[data-id="${id}"]`), "Más", "Recordármelo…");
    await page.getByRole("dialog").getByRole("button", { name: "En 1 hora" }).click();
    await page.getByText("Se te recordará:").waitFor();
    await ann.delete(`/api/messages/${id}`);
    await come();
    await page.getByRole("button", { name: /^Notificaciones/ }).click();
    await page.getByText("Un recordatorio terminó: ya no puedes leer su mensaje").waitFor();
    await page.getByRole("button", { name: "Recordatorios" }).click();
    const ended = page.getByRole("region", { name: "Terminados sin el mensaje" });
    await ended.getByText("Un mensaje que ya no puedes leer").waitFor();
    expect(await page.content()).not.toContain("soon gone");
    await shot(page, "reminder-ended");
    await ended.getByRole("button", { name: /^Eliminar/ }).click();
    await eventually("it is deleted", async () => (await ben.get("/api/reminders")).body.reminders.length === 0);
  });

  test("`@here` is offered with how many it reaches, stands out, and counts as a mention", async () => {
    const [ann, ben] = [await world.server.user("ann"), await world.server.user("ben")];
    const { id, slug } = await newChannel(ann);
    await ben.post(`/api/channels/${id}/join`);
    const benVisit = await world.open({ as: ben, at: `#/c/${slug}` });
    const annVisit = await world.open({ as: ann, at: `#/c/${slug}` });
    await annVisit.field.fill("Lunch @he");
    const option = annVisit.page.getByRole("option", { name: /@here/ });
    await option.getByText("Reaches 1 person who is online here.").waitFor();
    await shot(annVisit.page, "here-offered");
    await option.click();
    expect(await annVisit.field.inputValue()).toBe("Lunch @here ");
    await annVisit.page.keyboard.press("Enter");
    const mark = benVisit.page.locator(".mention.me", { hasText: "@here" });
    await mark.waitFor();
    await shot(benVisit.page, "here-called");
    await eventually("it is a mention", async () =>
      (await ben.get("/api/notifications")).body.notifications.some(({ kind }: { kind: string }) => kind === "mention"),
    );
    expect((await ann.put(`/api/channels/${id}`, { here_by: "admins" })).status).toBe(200);
    await benVisit.field.fill("@here");
    await benVisit.page.keyboard.press("Enter");
    await benVisit.page.getByText("Only the channel's admins may call everybody with @here.").waitFor();
  });
});
