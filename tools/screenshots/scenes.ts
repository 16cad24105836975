import { createOwner } from "../../packages/server/src/channels/newcomers.ts";
import { systemClock } from "../../packages/server/src/clock.ts";
import { ClaimWorld } from "../../packages/server/test/support/browser/claim-walk.ts";
import { type Client, PASSWORD, type TestServer } from "../../packages/server/test/support/servers/test-server.ts";
import { ChatVisit } from "../../packages/web/test/support/chat-visit.ts";
import { ClaimVisit } from "../../packages/web/test/support/claim-visit.ts";
import type { Visits } from "../../packages/web/test/support/visits.ts";
import { type Take, takeDialogScenes } from "./dialog-scenes.ts";

const MORNING = Date.parse("2026-11-21T09:56:00Z");

/** A morning in `general`: page.png; dark.png with a dialog open; phone.png. */
async function takeChat(world: ClaimWorld, visits: Visits, take: Take): Promise<void> {
  const { server } = world;
  const [mira, jonas, lea] = [await server.user("mira"), await server.user("jonas"), await server.user("lea")];
  await createOwner(server.ctx, "otto", PASSWORD);
  await speakOf(server, mira, jonas, lea);
  const size = { viewport: { width: 1280, height: 800 }, timezoneId: "UTC" };
  const visit = await ChatVisit.open(visits, server.url, { as: mira, ...size });
  await ChatVisit.open(visits, server.url, { as: lea });
  const other = await ChatVisit.open(visits, server.url, { as: jonas });
  await visit.page.getByRole("button", { name: "5 online" }).waitFor();
  await jonas.post("/api/messages", { channel_slug: "kitchen", content: "Soup is ready." });
  await jonas.post("/api/direct", { username: "mira" });
  await visit.field.fill("Thank you both.");
  await other.field.pressSequentially("Any", { delay: 20 });
  await visit.waitFor("is typing");
  await visit.page.getByRole("link", { name: /Kitchen 1 unread/ }).waitFor();
  await take(visit.page, "page");

  const dark = await ChatVisit.open(visits, server.url, { as: mira, ...size, colorScheme: "dark" });
  await dark.waitFor("Deployed.");
  await dark.page.getByRole("button", { name: "Search" }).click();
  await dark.page.getByRole("searchbox").fill("exports");
  await dark.page.keyboard.press("Enter");
  await dark.page.locator("mark").first().waitFor();
  await dark.act("Deployed.", "Add a reaction");
  await dark.page.getByText("Loading…").waitFor({ state: "detached" });
  await take(dark.page, "dark");

  const phone = await ChatVisit.open(visits, server.url, {
    as: mira,
    viewport: { width: 390, height: 760 },
    deviceScaleFactor: 2,
    timezoneId: "UTC",
    hasTouch: true,
    isMobile: true,
  });
  await phone.waitFor("Deployed.");
  await take(phone.page, "phone");
}

/** The messages of that morning. */
async function speakOf(server: TestServer, mira: Client, jonas: Client, lea: Client): Promise<void> {
  const [scout, archivist] = [await server.agent("Scout"), await server.agent("Archivist")];
  for (const name of ["Releases", "Design and type"]) await mira.post("/api/channels", { name });
  await mira.post("/api/channels", { name: "Leads", is_private: true, password: "among the leads" });
  const { body: kitchen } = await jonas.post("/api/channels", { name: "Kitchen" });
  await mira.post(`/api/channels/${kitchen.channel_id}/join`, {});
  const say = async (client: Client, content: string, reply_to_id?: number): Promise<number> =>
    (await client.post("/api/messages", { channel_slug: "general", content, reply_to_id })).body.message_id;
  const report = async (client: Client, agent_name: string, message: string): Promise<number> =>
    (await client.post("/api/agenthub/send", { channel_slug: "general", agent_name, message })).body.message_id;
  for (const [client, agent_name] of [
    [scout, "Scout"],
    [archivist, "Archivist"],
  ] as const) {
    await client.post("/api/agenthub/login", { channel_slug: "general", agent_name });
  }
  await say(mira, "Good morning. Did the nightly export run through?");
  await say(mira, "@Scout could you look?");
  const found = await report(
    scout,
    "Scout",
    "It did, at 02:14: 18,204 records, none rejected. One warning about a missing locale, which is new since yesterday: https://exports.example.com/2026-11-21",
  );
  await say(jonas, "The locale is mine, sorry. Fix is on its way.", found);
  const deployed = await say(jonas, "Deployed.");
  await mira.put(`/api/messages/${deployed}/reactions/${encodeURIComponent("🎉")}`);
  for (const client of [mira, lea]) await client.put(`/api/messages/${deployed}/reactions/like`);
  await report(
    archivist,
    "Archivist",
    "Noted under “exports”. I will remind @jonas if the warning comes back tomorrow.",
  );
  await say(lea, "<b>nothing</b> here is ever markup & مرحبا");
}

/** claim-post.png, claim-key.png; claim-phone.png in dark mode. */
async function takeClaim(world: ClaimWorld, visits: Visits, take: Take): Promise<void> {
  const visit = await ClaimVisit.open(visits, world, { viewport: { width: 800, height: 600 } });
  await visit.code();
  const address = await visit.post("ana.example.com");
  await visit.page.getByLabel("URL of your post").fill(address);
  await take(visit.page, "claim-post", true);
  await visit.page.getByRole("button", { name: "Get my key" }).click();
  await visit.key();
  await take(visit.page, "claim-key", true);

  const phone = await ClaimVisit.open(visits, world, {
    viewport: { width: 360, height: 640 },
    colorScheme: "dark",
  });
  await phone.code();
  await phone.show(await phone.post("ana.example.com"));
  await phone.page.getByRole("button", { name: "Replace the lost key" }).waitFor();
  await take(phone.page, "claim-phone", true);
}

/** Takes the pictures of the guide that tell a story. */
export async function takeScenes(visits: Visits, take: Take): Promise<void> {
  const late = systemClock.now() - MORNING;
  await using world = await ClaimWorld.start({}, { clock: { ...systemClock, now: () => systemClock.now() - late } });
  await takeChat(world, visits, take);
  await takeClaim(world, visits, take);
  await takeDialogScenes(world.server, visits, take);
}
