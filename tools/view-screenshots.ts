import { join } from "node:path";
import type { Page } from "playwright-core";
import { createOwner } from "../packages/server/src/channels/newcomers.ts";
import {
  Client,
  logIn,
  type Named,
  PASSWORD,
  startTestServer,
  type TestServer,
} from "../packages/server/test/support/servers/test-server.ts";
import { staff } from "../packages/server/test/support/staff.ts";
import { axeProblems } from "../packages/web/test/support/axe.ts";
import { ChatVisit } from "../packages/web/test/support/chat-visit.ts";
import { PHONE } from "../packages/web/test/support/touch.ts";
import type { Visits } from "../packages/web/test/support/visits.ts";

type Take = (page: Page, name: string, fullPage?: boolean) => Promise<unknown>;
type Options = NonNullable<Parameters<typeof ChatVisit.open>[2]>;

/** How each view is shown. */
const LOOKS: Readonly<Record<string, Options>> = {
  light: { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
  phone: { ...PHONE, colorScheme: "light" },
};

/** Brings a page that shows a channel to the view. */
type View = (visit: ChatVisit, isPhone: boolean) => Promise<void>;

/** The main views, each in both themes and on a phone: views/<name>-<look>.png. Throws if axe finds a problem. */
export async function takeViewScreenshots(visits: Visits, take: Take): Promise<void> {
  await takeFirstStart(visits, take);
  await using server = await startTestServer({ siteName: "Harbour" });
  const rosa = await staff(server, "rosa", 3);
  await fill(server, rosa);
  for (const [name, view] of Object.entries(viewsOf(server))) {
    for (const [look, options] of Object.entries(LOOKS)) {
      const visit = await ChatVisit.open(visits, server.url, { as: rosa, timezoneId: "UTC", ...options });
      await visit.waitFor("Deployed.");
      await view(visit, look === "phone");
      await takeChecked(visit.page, `${name}-${look}`, take);
      await visit.page.close();
    }
  }
}

/** The front door of a private server, and the first steps of its owner. */
async function takeFirstStart(visits: Visits, take: Take): Promise<void> {
  for (const [look, options] of Object.entries(LOOKS)) {
    await using server = await startTestServer({ siteName: "Harbour", guestRead: false });
    await createOwner(server.ctx, "rosa", PASSWORD);
    const door = await visits.open(server.url, options);
    await door.getByRole("button", { name: "Log in" }).waitFor();
    await takeChecked(door, `front-door-${look}`, take);
    await door.close();
    const visit = await ChatVisit.open(visits, server.url, { as: await logIn(server.url, "rosa"), ...options });
    await visit.page.getByRole("region", { name: "Set up your server" }).waitFor();
    await takeChecked(visit.page, `first-steps-${look}`, take);
    await visit.page.close();
  }
}

async function takeChecked(page: Page, name: string, take: Take): Promise<void> {
  const problems = await axeProblems(page);
  if (problems.length > 0) throw new Error(`${name}: ${JSON.stringify(problems)}`);
  await take(page, `views/${name}`, false);
}

const CODE = `The export failed on **one** record:

\`\`\`ts
const locale = record.locale ?? "en";
if (!LOCALES.has(locale)) reject(record, "unknown locale");
\`\`\`

| Day | Records | Rejected |
|---|---|---|
| Friday | 18,204 | 0 |
| Saturday | 18,311 | 1 |`;

async function fill(server: TestServer, rosa: Named): Promise<void> {
  const [ben, mira] = [await server.user("ben"), await server.user("mira")];
  let design = 0;
  for (const name of ["Releases", "Design", "Kitchen"]) {
    const { body } = await rosa.post("/api/channels", { name });
    await ben.post(`/api/channels/${body.channel_id}/join`);
    if (name === "Design") design = body.channel_id;
  }
  await rosa.post("/api/direct", { username: "mira" });
  const { body } = await rosa.post("/api/agents", { agent_name: "Scout", owner_username: "ben" });
  const scout = new Client(server.url, { authorization: `Bearer ${body.api_key}` });
  await scout.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Scout" });
  await rosa.post("/api/messages", { channel_slug: "general", content: "@Scout did the export run?" });
  await scout.post("/api/agenthub/send", { channel_slug: "general", agent_name: "Scout", message: CODE });
  const answer = { channel_slug: "general", content: "The locale is mine, sorry. Fix is on its way, @rosa." };
  await ben.post("/api/messages", answer);
  const { message_id } = (await ben.post("/api/messages", { channel_slug: "general", content: "Deployed." })).body;
  for (const each of [rosa, mira]) await each.put(`/api/messages/${message_id}/reactions/like`);
  await rosa.post("/api/channels/1/read", {});
  await ben.post("/api/messages", { channel_slug: "kitchen", content: "Soup is ready, @rosa" });
  await fillDesign(server, design, [rosa, ben, mira]);
  for (let samples = 0; samples < 60; samples++) server.ctx.metrics.health.sample();
}

/** A message with files, and a thread about it. */
async function fillDesign(server: TestServer, channelId: number, [rosa, ben, mira]: [Client, Client, Client]) {
  await mira.post(`/api/channels/${channelId}/join`);
  const upload = async (name: string, file: Blob, alt: string): Promise<number> => {
    const form = new FormData();
    form.set("file", file, name);
    form.set("alt_text", alt);
    const answer = await fetch(`${server.url}/api/files`, { method: "POST", headers: mira.credential, body: form });
    return ((await answer.json()) as { file: { file_id: number } }).file.file_id;
  };
  const image = (name: string) => Bun.file(join(import.meta.dir, `../docs/images/${name}.png`));
  const say = async (who: Client, content: string, more = {}): Promise<number> =>
    (await who.post("/api/messages", { channel_id: channelId, content, ...more })).body.message_id;
  const file_ids = [
    await upload("evening.png", image("dark"), "The chat in dark mode, with a search beside it."),
    await upload("pocket.png", image("phone"), "The chat on a phone."),
    await upload(
      "contrast.csv",
      new Blob(["theme,text,background,ratio\nlight,#1c1d26,#ffffff,16.9\ndark,#e9e9f1,#1a1b25,14.2\n"]),
      "",
    ),
  ];
  const root = await say(mira, "Both themes, as they are on Monday. Does the search need its own colour?", {
    file_ids,
  });
  const reply = (who: Client, content: string) => say(who, content, { thread_root_id: root });
  await reply(ben, "Not for me. The **marks** in the text are enough.");
  await reply(mira, "They are hard to see in dark mode. I would try:\n- a warmer yellow\n- no shadow");
  await reply(rosa, "Then the yellow, please. @ben can you change it?");
  await reply(ben, "On Friday.");
}

function viewsOf(server: TestServer): Readonly<Record<string, View>> {
  const menu = async ({ page }: ChatVisit, isPhone: boolean) => {
    if (isPhone) await page.getByRole("button", { name: /^Open the channel list/ }).click();
  };
  return {
    chat: async () => {},
    "channel-list": menu,
    switcher: async (visit, isPhone) => {
      await menu(visit, isPhone);
      await visit.page.getByRole("button", { name: "Go to a channel or person" }).click();
      await visit.page.getByRole("dialog").getByRole("combobox").fill("e");
      await visit.page.getByRole("option", { name: "Releases" }).waitFor();
    },
    card: async ({ page }) => {
      await page.locator("article .name", { hasText: "Scout" }).first().click();
      await page.getByText("Agent of ben").waitFor();
    },
    threads: async ({ page }) => {
      await page.evaluate("location.hash = '#/c/design'");
      await page.locator(".thread-line").click();
      await page.locator("aside.thread").getByText("On Friday.").waitFor();
    },
    files: async ({ page }) => {
      await page.evaluate("location.hash = '#/c/design'");
      await page.locator(".thread-line").waitFor();
      await page.getByRole("button", { name: "Files", exact: true }).click();
      await page.locator("aside").getByText("contrast.csv").waitFor();
    },
    "notification-list": async (visit, isPhone) => {
      await menu(visit, isPhone);
      await visit.page.locator(".bell").click();
      await visit.page.locator(".notification").first().waitFor();
    },
    search: async ({ page }) => {
      await page.getByRole("button", { name: "Search" }).first().click();
      await page.getByRole("searchbox").fill("locale from:ben");
      await page.keyboard.press("Enter");
      await page.locator("mark").first().waitFor();
    },
    emoji: async ({ page }) => {
      await page.getByRole("button", { name: "Emoji" }).click();
      await page.getByRole("searchbox", { name: "Search emoji" }).fill("boat");
      await page.getByRole("button", { name: "⛵", exact: true }).waitFor();
    },
    shortcuts: async ({ page }) => {
      await page.locator("article.message").first().focus();
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    },
    "new-agent": async (visit, isPhone) => {
      const own = await visit.openWindow("rosa", "Your agents");
      await own.getByRole("button", { name: "New agent" }).click();
      const name = `Bot ${server.ctx.clock.now() % 100_000} ${isPhone ? "P" : "D"}`;
      await visit.page.getByRole("dialog").getByLabel("Name", { exact: true }).fill(name);
      await visit.page.getByRole("button", { name: "Create agent" }).click();
      await visit.page.getByText("is ready.").waitFor();
    },
    profile: async (visit) => {
      const profile = await visit.openWindow("rosa", "Your profile");
      await profile.getByLabel("Invitation link", { exact: true }).waitFor();
    },
    notifications: async (visit) => {
      const profile = await visit.openWindow("rosa", "Your profile");
      await profile.getByRole("tab", { name: "Notifications" }).click();
    },
    users: async (visit) => {
      const window = await visit.openWindow("rosa", "Administration");
      await window.getByRole("tab", { name: "Users" }).click();
      await window.getByLabel("Level of mira").waitFor();
    },
    agents: async (visit) => {
      const window = await visit.openWindow("rosa", "Administration");
      await window.getByRole("tab", { name: "Agents" }).click();
      await window.getByRole("heading", { name: "Scout" }).waitFor();
    },
    health: async (visit) => {
      const window = await visit.openWindow("rosa", "Administration");
      await window.getByRole("tab", { name: "Health" }).click();
      await window.locator(".chart polyline[points*=' ']").first().waitFor({ state: "attached" });
    },
  };
}
