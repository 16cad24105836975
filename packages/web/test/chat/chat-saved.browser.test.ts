import { describe, expect, test } from "bun:test";
import { lineOf } from "../../../server/test/support/browser/line.ts";
import { newChannel } from "../../../server/test/support/new-channel.ts";
import { sayId } from "../../../server/test/support/say.ts";
import { eventually, startTestServer } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";

const WIDE = { width: 1200, height: 800 };
const NARROW = { width: 320, height: 640 };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

describe("saved messages, in a browser", () => {
  const world = eachServer(() => startTestServer({ rateLimits: "off" }));

  test("a message is saved from its menu and by a key, is marked in each tab, and is listed with the rights of now", async () => {
    const { server } = world;
    const [ann, ben] = [await server.user("ann"), await server.user("ben")];
    const room = await newChannel(ann, { is_private: true });
    await ann.put(`/api/channels/${room.id}/members/ben`, {});
    await sayId(ann, room.id, "The first one");
    await sayId(ann, room.id, "The second one");
    const visit = await world.open({ as: ben, at: `#/c/${room.slug}`, viewport: WIDE, colorScheme: "dark" });
    const other = await world.open({ as: ben, at: `#/c/${room.slug}` });
    const { page } = visit;
    const list = await visit.openWindow("ben", "Saved messages");
    await list.getByText("You have not saved any messages.").waitFor();
    await page.keyboard.press("Escape");
    await visit.act("The first one", "More", "Save for later");
    await visit.message("The first one").getByText("Saved", { exact: true }).waitFor();
    await other.message("The first one").getByText("Saved", { exact: true }).waitFor();
    await other.message("The second one").focus();
    await other.page.keyboard.press("b");
    await visit.message("The second one").getByText("Saved", { exact: true }).waitFor();

    await visit.openWindow("ben", "Saved messages");
    const lines = list.getByRole("listitem");
    await eventually("both are listed", async () => (await lines.count()) === 2);
    expect(await lines.locator(".excerpt").allTextContents()).toEqual(["The second one", "The first one"]);
    await page.setViewportSize(NARROW);
    expect(await axeProblems(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(NARROW.width);
    await page.setViewportSize(WIDE);
    await other.message("The second one").focus();
    await other.page.keyboard.press("b");
    await eventually("the list follows the other tab", async () => (await lines.count()) === 1);
    // The next read finds that the right is gone.
    await ann.delete(`/api/channels/${room.id}/members/ben`);
    await page.keyboard.press("Escape");
    await visit.openWindow("ben", "Saved messages");
    await list.getByText("This message is deleted, or you can't read it now.").waitFor();
    expect(await list.getByText("The first one").count()).toBe(0);
    await list.getByRole("button", { name: "Remove the message that can't be read" }).click();
    await list.getByText("You have not saved any messages.").waitFor();
  });

  test("what another device saves while the page is offline, or while it asks again, shows when it is back", async () => {
    const { server } = world;
    const ann = await server.user("ann");
    const room = await newChannel(ann);
    const [first, second] = [await sayId(ann, room.id, "The first one"), await sayId(ann, room.id, "The second one")];
    const visit = await world.open({ as: ann, at: `#/c/${room.slug}`, viewport: WIDE });
    const { page } = visit;
    const line = await lineOf(page);
    await page.reload();
    await visit.live();
    const mark = (text: string) => visit.message(text).getByText("Saved", { exact: true });
    await visit.waitFor("The second one");
    const list = await visit.openWindow("ann", "Saved messages");
    await list.getByText("You have not saved any messages.").waitFor();
    await line.cut(true);
    await ann.put(`/api/saved/${first}`, {});
    const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route("**/api/saved/ids", async (route) => {
      const response = await route.fetch();
      asked.resolve();
      await answer.promise;
      await route.fulfill({ response });
    });
    await line.cut(false);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await list.getByText("The first one").waitFor();
    await asked.promise;
    await ann.put(`/api/saved/${second}`, {});
    await mark("The second one").waitFor();
    answer.resolve();
    await mark("The first one").waitFor();
    expect(await mark("The second one").count()).toBe(1);
  });

  test("the list leads to the message, and Back closes it on a phone", async () => {
    const { server } = world;
    const ann = await server.user("ann");
    const room = await newChannel(ann);
    const id = await sayId(ann, room.id, "Far away");
    await ann.put(`/api/saved/${id}`, {});
    const visit = await world.open({ as: ann, at: "#/c/general", locale: "es-ES", ...PHONE });
    const { page } = visit;
    const open = async () => {
      const isOpen = (await page.locator(".sidebar[data-open]").count()) > 0;
      if (!isOpen) await page.getByRole("button", { name: /^Abrir la lista de canales/ }).click();
      await page.locator("footer.account").getByRole("button").first().click();
      await page.getByRole("button", { name: "Mensajes guardados" }).click();
      return page.getByRole("dialog", { name: "Mensajes guardados" });
    };
    const list = await open();
    await list.getByText("Far away").waitFor();
    await page.goBack();
    await list.waitFor({ state: "detached" });
    expect(page.url()).toContain("#/c/general");
    await (await open()).getByText("Far away").click();
    await visit.message("Far away").getByText("Guardado", { exact: true }).waitFor();
    expect(page.url()).toContain(`#/c/${room.slug}`);
  });
});
