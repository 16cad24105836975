import type { Page } from "playwright-core";
import { type Client, eventually, type TestServer } from "../../packages/server/test/support/servers/test-server.ts";
import { staff } from "../../packages/server/test/support/staff.ts";
import { ChatVisit } from "../../packages/web/test/support/chat-visit.ts";
import type { Visits } from "../../packages/web/test/support/visits.ts";

/** Takes a picture and names it. `fullPage`: also of what is below the window. */
export type Take = (page: Page, name: string, fullPage?: boolean) => Promise<unknown>;

/**
 * packet.png: a red packet, opened; packet-split.png: its outcome, verified, in dark mode; profile.png; admin.png;
 * health.png.
 */
export async function takeDialogScenes(server: TestServer, visits: Visits, take: Take): Promise<void> {
  const [ines, tom] = [await server.user("ines"), await server.user("tom")];
  const admin = await staff(server, "rosa", 3);
  const { body } = await ines.post("/api/channels", { name: "Festival" });
  for (const each of [tom, admin]) await each.post(`/api/channels/${body.channel_id}/join`, {});
  await takePacketScreenshots(server, visits, take, [ines, tom, admin]);
  await takeProfileScreenshot(server, visits, take, tom);
  await takeAdminScreenshots(server, visits, take, ines, admin);
}

const size = { viewport: { width: 1000, height: 760 }, timezoneId: "UTC", at: "#/c/festival" };

async function takePacketScreenshots(
  server: TestServer,
  visits: Visits,
  take: Take,
  [ines, tom, rosa]: [Client, Client, Client],
): Promise<void> {
  await tom.post("/api/messages", { channel_slug: "festival", content: "A happy new year, everybody!" });
  const packet = {
    channel_slug: "festival",
    total_amount: "66",
    count: 3,
    greeting: "May the year of the horse be kind",
  };
  const { body } = await ines.post("/api/red-packets", packet);
  await ines.post("/api/red-packets", { channel_slug: "festival", total_amount: "30", count: 6, greeting: "One more" });
  await ines.post(`/api/red-packets/${body.packet_id}/claim`);
  const visit = await ChatVisit.open(visits, server.url, { as: tom, ...size });
  const cards = visit.page.locator(".packet");
  await cards
    .first()
    .getByRole("button", { name: /Open the red packet/ })
    .click();
  await cards.first().getByText("You got").waitFor();
  const isStill = "document.getAnimations().every(({ playState }) => playState === 'finished')";
  await eventually("all stands still", () => visit.page.evaluate(isStill));
  await take(visit.page, "packet");

  await rosa.post(`/api/red-packets/${body.packet_id}/claim`);
  const dark = await ChatVisit.open(visits, server.url, {
    as: rosa,
    ...size,
    viewport: { width: 1000, height: 900 },
    colorScheme: "dark",
  });
  await dark.page.locator(".packet").first().getByRole("button", { name: "Details" }).click();
  const window = dark.page.getByRole("dialog");
  await window.getByRole("button", { name: "Check the split" }).click();
  await window.getByText("As promised").waitFor();
  await take(dark.page, "packet-split");
}

/** Opens a window from the account menu. */
async function openWindow(visit: ChatVisit, account: string, name: string): Promise<void> {
  await visit.page.getByRole("button", { name: `Account menu of ${account}` }).click();
  await visit.page.getByRole("button", { name }).click();
  await visit.page.getByRole("dialog", { name }).waitFor();
}

async function takeProfileScreenshot(server: TestServer, visits: Visits, take: Take, tom: Client): Promise<void> {
  const visit = await ChatVisit.open(visits, server.url, { as: tom, ...size });
  await openWindow(visit, "tom", "Your profile");
  await visit.page.getByRole("progressbar").waitFor();
  await visit.page.getByText("Points history").click();
  const picture = await visit.page.screenshot({ clip: { x: 0, y: 0, width: 500, height: 300 } });
  const file = { name: "me.png", mimeType: "image/png", buffer: picture };
  await visit.page.locator("dialog input[type=file]").setInputFiles(file);
  await visit.page.getByRole("button", { name: "Use this part" }).waitFor();
  await take(visit.page, "profile");
}

async function takeAdminScreenshots(
  server: TestServer,
  visits: Visits,
  take: Take,
  ines: Client,
  admin: Client,
): Promise<void> {
  for (const [content, reason] of [
    ["Buy followers at half the price, only today", "spam"],
    ["You call that a festival?", "unfriendly"],
  ]) {
    const { body } = await ines.post("/api/messages", { channel_slug: "festival", content });
    await admin.post(`/api/messages/${body.message_id}/report`, { reason });
  }
  const visit = await ChatVisit.open(visits, server.url, { as: admin, ...size });
  await openWindow(visit, "rosa", "Administration");
  await visit.page.locator(".card").nth(1).waitFor();
  await take(visit.page, "admin");
  for (let n = 0; n < 30; n++) {
    await ines.post("/api/messages", { channel_slug: "festival", content: `${n} more days` });
    server.ctx.metrics.health.sample();
  }
  await visit.page.getByRole("tab", { name: "Health" }).click();
  const looks = "document.querySelector('.chart polyline')?.getAttribute('points').split(' ').length > 4";
  await eventually("there is a line", () => visit.page.evaluate(looks), 20_000);
  await take(visit.page, "health");
}
