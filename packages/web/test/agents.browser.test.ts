import { afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { datedClock } from "../../server/test/support/clock.ts";
import { expectError } from "../../server/test/support/expect-error.ts";
import type { Named } from "../../server/test/support/servers/test-server.ts";
import { Client, eventually, PASSWORD, startTestServer } from "../../server/test/support/servers/test-server.ts";
import { staff } from "../../server/test/support/staff.ts";
import { axeProblems } from "./support/axe.ts";
import { eachServer } from "./support/browser-world.ts";
import type { ChatVisit } from "./support/chat-visit.ts";

const ROOT = join(import.meta.dir, "../../..");
const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

describe("agents that administrators create in a browser", () => {
  const clock = datedClock();
  const world = eachServer(() => startTestServer({}, { clock }), [403, 409]);
  afterEach(() => {
    clock.ahead = 0;
  });

  const clipboard = (page: Page) => page.evaluate("navigator.clipboard.readText()") as Promise<string>;
  const withKey = (key: string) => new Client(world.server.url, { authorization: `Bearer ${key}` });
  const mentions = (key: string) => withKey(key).get("/api/agenthub/mentions");
  const dialogOf = (visit: ChatVisit, name: string) => visit.page.getByRole("dialog", { name, exact: true });

  /** Creates an agent with the dialog, and returns the dialog with its key. */
  async function create(visit: ChatVisit, self: Named, name: string, owner = ""): Promise<Locator> {
    const own = await visit.openWindow(self.username, "Your agents");
    await own.getByRole("button", { name: "New agent" }).click();
    const dialog = dialogOf(visit, "New agent");
    await dialog.getByLabel("Name", { exact: true }).fill(name);
    await dialog.getByLabel("Owner").fill(owner);
    await dialog.getByRole("button", { name: "Create agent" }).click();
    return dialogOf(visit, name);
  }

  /** Copies a snippet with its button. */
  async function copied(dialog: Locator, title: string): Promise<string> {
    const snippet = dialog.locator(".snippet", { hasText: title });
    if ((await snippet.getAttribute("open")) === null) await snippet.getByText(title).click();
    await snippet.getByRole("button", { name: "Copy" }).click();
    return clipboard(dialog.page());
  }

  test("the sample of a key that is limited to a private channel names it, and the agent is added to it", async () => {
    const ada = await staff(world.server, "ada", 3);
    const { body } = await ada.post("/api/channels", { name: "Vault", is_private: true });
    const visit = await world.open({ as: ada, ...CLIPBOARD });
    const own = await visit.openWindow("ada", "Your agents");
    await own.getByRole("button", { name: "New agent" }).click();
    const form = dialogOf(visit, "New agent");
    await form.getByLabel("Name", { exact: true }).fill("Keeper");
    await form.getByText("Limit this key").click();
    await form.getByLabel("Only in these channels (optional)").fill("vault");
    await form.getByRole("button", { name: "Create agent" }).click();
    const dialog = dialogOf(visit, "Keeper");
    await dialog.getByText('"channel_slug":"vault"').first().waitFor();
    await eventually("it is added", async () => {
      const { members } = (await ada.get(`/api/channels/${body.channel_id}/members`)).body;
      return JSON.stringify(members).includes("Keeper");
    });
  });

  test("the owner creates one with the keyboard, and what is copied works exactly as it is", async () => {
    const ada = await staff(world.server, "ada", 3);
    await ada.post("/api/channels", { name: "Lab" });
    const visit = await world.open({ as: ada, at: "#/c/lab", ...CLIPBOARD });
    const own = await visit.openWindow("ada", "Your agents");
    await own.getByRole("button", { name: "New agent" }).press("Enter");
    await dialogOf(visit, "New agent").waitFor();
    await visit.page.keyboard.type("Weather Bot");
    await visit.page.keyboard.press("Enter");
    const dialog = dialogOf(visit, "Weather Bot");
    await dialog.getByText("Weather Bot is ready.").waitFor();
    expect(await axeProblems(visit.page, "dialog")).toEqual([]);
    await dialog.getByRole("button", { name: "Copy: API key" }).click();
    const key = await clipboard(visit.page);
    expect((await mentions(key)).status).toBe(200);

    const commands = await copied(dialog, "With curl");
    const shell = Bun.spawn(["bash", "-c", commands], { stdout: "pipe", stderr: "ignore" });
    expect((await new Response(shell.stdout).text()).match(/"success":true/g)).toHaveLength(3);
    await visit.message("Hello!").getByText("Weather Bot").first().waitFor({ state: "attached" });

    const program = await copied(dialog, "With the SDK");
    expect(program).not.toContain(key);
    await using running = Bun.spawn([process.execPath, "-e", program], { cwd: ROOT, env: { PARLEY_KEY: key } });
    await ada.post("/api/messages", { channel_slug: "lab", content: "@Weather_Bot will it rain?" });
    await visit.message("Hello ada.").waitFor({ state: "attached" });
    running.kill();

    await dialog.getByRole("button", { name: "Your agents" }).press("Enter");
    await own.getByRole("link", { name: "#lab" }).waitFor();
    await own.getByText("online").waitFor();
  });

  test("on a phone in the dark it is paused, and its key revoked, at once", async () => {
    const ada = await staff(world.server, "ada", 3);
    const visit = await world.open({ as: ada, colorScheme: "dark", ...PHONE });
    const dialog = await create(visit, ada, "Scout");
    const key = await dialog.getByLabel("API key", { exact: true }).inputValue();
    expect(await axeProblems(visit.page, "dialog")).toEqual([]);
    expect(await visit.page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await dialog.getByRole("button", { name: "Your agents" }).click();
    const own = dialogOf(visit, "Your agents");
    await own.getByRole("button", { name: "Pause" }).click();
    await own.getByText("paused").waitFor();
    expectError(await mentions(key), 403, "agent_paused");
    await own.getByRole("button", { name: "Resume" }).click();
    await own.getByText("active", { exact: true }).waitFor();
    expect((await mentions(key)).status).toBe(200);
    await own.getByRole("button", { name: /^Revoke/ }).click();
    const sure = dialogOf(visit, "Scout");
    await sure.getByText("This is the agent's last key").waitFor();
    await sure.getByRole("button", { name: "Revoke" }).click();
    await own.getByText("No active keys.").waitFor();
    expectError(await mentions(key), 401, "key_revoked");
  });

  test("a bot made for Telegram gets its token with a new key, later its form, and the owner lets anybody write to it", async () => {
    const ada = await staff(world.server, "ada", 3);
    const visit = await world.open({ as: ada, colorScheme: "dark", ...PHONE, ...CLIPBOARD });
    const dialog = await create(visit, ada, "Scout");
    await dialog.getByText("With a bot made for Telegram").click();
    await dialog.getByRole("button", { name: "Copy: Token" }).click();
    const token = await clipboard(visit.page);
    const me = await world.server.guest.get(`/telegram/bot${token}/getMe`);
    expect(me.body.result.username).toBe("Scout");
    const root = `${world.server.url}/telegram`;
    expect(await dialog.getByLabel("Root of the addresses", { exact: true }).inputValue()).toBe(root);
    expect(await dialog.getByLabel("Telegraf", { exact: true }).inputValue()).toContain(`"${root}/"`);
    expect(await axeProblems(visit.page, "dialog")).toEqual([]);
    expect(await visit.page.evaluate("document.documentElement.scrollWidth")).toBe(390);

    await dialog.getByRole("button", { name: "Your agents" }).click();
    const own = dialogOf(visit, "Your agents");
    await own.getByText("With a bot made for Telegram").click();
    expect(await own.getByLabel("Token", { exact: true }).inputValue()).toBe(`${me.body.result.id}:<your key>`);
    await own.getByText("so /start of other people doesn't reach it").waitFor();
    await own.getByRole("button", { name: "Let anybody write to it" }).click();
    await own.getByText("Anybody may write to it directly.").waitFor();
    expect((await ada.get("/api/agent/Scout")).body.dm_policy).toBe("everyone");
    await eventually(
      "the choice shows it",
      async () => (await own.getByLabel("Takes direct messages from").inputValue()) === "everyone",
    );
  });

  test("an old session confirms with the password, and refusals keep what was typed", async () => {
    const ada = await staff(world.server, "ada", 3);
    await world.server.user("ann");
    const visit = await world.open({ as: ada });
    const own = await visit.openWindow("ada", "Your agents");
    await own.getByRole("button", { name: "New agent" }).click();
    const dialog = dialogOf(visit, "New agent");
    const [name, submit] = [
      dialog.getByLabel("Name", { exact: true }),
      dialog.getByRole("button", { name: "Create agent" }),
    ];
    await name.fill("ann");
    await submit.click();
    await dialog.getByRole("alert").getByText("taken").waitFor();
    clock.ahead = 600_001;
    await name.fill("Late Bird");
    await submit.click();
    await dialog.getByText("Enter your current password to confirm this change.").waitFor();
    const password = dialog.getByLabel("Current password");
    expect(await visit.page.evaluate("document.activeElement.name")).toBe("current");
    await visit.page.keyboard.type("not this one");
    const refused = visit.page.waitForResponse((response) => response.url().endsWith("/api/agents"));
    await visit.page.keyboard.press("Enter");
    expect((await refused).status()).toBe(403);
    await dialog.getByText("This isn't your current password.").waitFor();
    expect(await axeProblems(visit.page, "dialog")).toEqual([]);
    await password.fill(PASSWORD);
    await visit.page.keyboard.press("Enter");
    await dialogOf(visit, "Late Bird").getByText("Late Bird is ready").waitFor();
  });

  test("administrators find, pause and rotate the agents of all users", async () => {
    const [ruth, ann] = [await staff(world.server, "ruth", 2), await world.server.user("ann")];
    const visit = await world.open({ as: ruth, viewport: { width: 1280, height: 900 } });
    const made = await create(visit, ruth, "Helper", "ann");
    const key = await made.getByLabel("API key", { exact: true }).inputValue();
    await made.getByRole("button", { name: "Done" }).click();
    await ruth.post("/api/agents", { agent_name: "Zebra" });

    const dialog = await visit.openWindow("ruth", "Administration");
    await dialog.getByRole("tab", { name: "Agents" }).click();
    await dialog.getByRole("heading", { name: "Zebra" }).waitFor();
    await dialog.getByLabel("Name or owner starts with").fill("an");
    await dialog.getByRole("heading", { name: "Zebra" }).waitFor({ state: "detached" });
    await dialog.getByText("owner: ann").waitFor();
    await dialog.getByRole("button", { name: "Pause" }).click();
    await dialog.getByRole("button", { name: "Resume" }).waitFor();
    expectError(await mentions(key), 403, "agent_paused");
    await dialog.getByLabel("Show").selectOption({ label: "Paused" });
    await dialog.getByRole("button", { name: "Resume" }).click();
    await dialog.getByText("No agents found.").waitFor();
    await dialog.getByLabel("Show").selectOption({ label: "All agents" });
    clock.ahead = 600_001;
    await dialog.getByRole("button", { name: "New key" }).click();
    const rotating = dialogOf(visit, "New key for Helper");
    await rotating.getByRole("button", { name: "Create key" }).click();
    await rotating.getByLabel("Current password").fill(PASSWORD);
    await rotating.getByRole("button", { name: "Create key" }).click();
    const replaced = await dialog.getByLabel("New key", { exact: true }).inputValue();
    expect(await axeProblems(visit.page, "dialog")).toEqual([]);
    expectError(await mentions(key), 401, "key_revoked");
    expect((await mentions(replaced)).status).toBe(200);
    const notices = (await ann.get("/api/security-notices")).body.notices;
    expect(notices.map(({ actor_username }: { actor_username: string }) => actor_username)).toEqual(["ruth", "ruth"]);
    await eventually("the log names the acts", async () => {
      const { body } = await ruth.get("/api/admin/audit?actor=ruth");
      const acts = body.entries.map(({ action }: { action: string }) => action);
      return acts.join() === "key_rotate,agent_resume,agent_pause,key_issue,key_issue";
    });
  });

  test("users without a level see no button for a new agent", async () => {
    const visit = await world.open({ as: await world.server.user("ann") });
    const own = await visit.openWindow("ann", "Your agents");
    await own.getByText("You don't have any agents yet.").waitFor();
    expect(await own.getByRole("button", { name: "New agent" }).count()).toBe(0);
  });
});
