import type { Locator } from "playwright-core";
import type { TestServer } from "../../packages/server/test/support/servers/test-server.ts";
import type { ChatVisit } from "../../packages/web/test/support/chat-visit.ts";

/** Brings a page that shows `general` to a view. `isPhone`: the list of channels is a drawer. */
export type View = (visit: ChatVisit, isPhone: boolean) => Promise<void>;

/** The views of a member with all rights, by name. */
export function viewsOf(server: TestServer): Readonly<Record<string, View>> {
  const menu = async ({ page }: ChatVisit, isPhone: boolean) => {
    if (isPhone) await page.getByRole("button", { name: /^Open the channel list/ }).click();
  };
  const fromList =
    (name: string): View =>
    async (visit, isPhone) => {
      await menu(visit, isPhone);
      await visit.page.locator(".sidebar").getByRole("button", { name }).first().click();
      await visit.page.getByRole("dialog").last().waitFor();
    };
  const tabOf =
    (window: string, tab: string): View =>
    async (visit) => {
      const shown = await visit.openWindow("rosa", window);
      await shown.getByRole("tab", { name: tab }).click();
      await shown.getByRole("tabpanel").waitFor();
      await visit.drawn();
    };
  const at =
    (hash: string, sign: (visit: ChatVisit) => Locator): View =>
    async (visit) => {
      await visit.page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
      await sign(visit).waitFor();
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
    security: tabOf("Your profile", "Security"),
    reports: tabOf("Administration", "Reports"),
    "all-channels": tabOf("Administration", "Channels"),
    "audit-log": tabOf("Administration", "Audit log"),
    site: tabOf("Administration", "Site"),
    imports: tabOf("Administration", "Imports"),
    "catch-up": at("#/catch-up", ({ page }) => page.locator("main").getByText("Kitchen").first()),
    "followed-threads": at("#/threads", ({ page }) => page.locator("main").getByText("On Friday.").first()),
    "no-channel": at("#/c/nowhere", ({ page }) => page.getByRole("link", { name: "Go to #general" })),
    "locked-channel": at("#/c/leads", ({ page }) => page.getByLabel("Password")),
    packet: at("#/c/kitchen", ({ page }) => page.locator(".packet")),
    "picture-viewer": async ({ page }) => {
      await page.evaluate("location.hash = '#/c/design'");
      await page.locator(".message button:has(img)").first().click();
      await page.locator(".lightbox").waitFor();
    },
    imported: at("#/c/launch", ({ page }) => page.getByText("2 replies")),
    "imported-mattermost": at("#/c/release", ({ page }) => page.getByText("2 replies")),
    daily: at("#/c/plans", ({ page }) => page.locator(".forwarded").last()),
    "own-emoji": async (visit) => {
      await (await visit.openWindow("rosa", "Emoji of this server")).getByText(":harbour:").first().waitFor();
    },
    pins: async ({ page }) => {
      await page.locator("header.bar").getByRole("button", { name: "Pinned messages" }).click();
      await page.locator("aside").waitFor();
    },
    people: async ({ page }) => {
      const online = page.locator("header.bar").getByRole("button", { name: /online/ });
      if ((await online.getAttribute("aria-expanded")) !== "true") await online.click();
      await page.locator("aside").waitFor();
    },
    "channel-settings": async ({ page }) => {
      await page.locator("header.bar").getByRole("button", { name: "Settings" }).click();
      await page.getByRole("dialog").waitFor();
    },
    "new-channel": fromList("Create a channel"),
    "new-direct": fromList("New direct"),
    invite: fromList("Invite people"),
    "account-menu": async (visit, isPhone) => {
      await menu(visit, isPhone);
      await visit.page.getByRole("button", { name: /^Account menu/ }).click();
      await visit.page.locator(".popover:popover-open").waitFor();
    },
    stickers: async ({ page }) => {
      await page.getByRole("button", { name: "Stickers" }).click();
      await page.locator(".popover:popover-open").waitFor();
    },
    draft: async ({ field }) => field.fill("**Bold**, and\n```ts\nconst code = 1;\n```\n- a list"),
    users: async (visit) => {
      const window = await visit.openWindow("rosa", "Administration");
      await window.getByRole("tab", { name: "Users" }).click();
      await window.getByRole("button", { name: "Manage mira" }).waitFor();
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
