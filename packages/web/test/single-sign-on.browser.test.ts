import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TestProvider } from "../../server/test/support/oidc-provider.ts";
import { PASSWORD, startTestServer } from "../../server/test/support/servers/test-server.ts";
import { axeProblems } from "./support/axe.ts";
import { eachServer, type ServerWorld } from "./support/browser-world.ts";
import { ChatVisit } from "./support/chat-visit.ts";

/** Logins by a real OpenID Connect provider, in a browser (protocol §13.9). */
describe("single sign-on in a browser", () => {
  let provider: TestProvider;
  beforeAll(async () => {
    provider = await TestProvider.start();
  });
  afterAll(() => provider[Symbol.asyncDispose]());

  /** The page itself asks no other host; the browser goes to the provider, and nowhere else. */
  function expectOnlyProvider(world: ServerWorld) {
    const isExpected = (line: string) =>
      line.startsWith(`asked for ${provider.issuer}/`) || / status of (401|409) /.test(line);
    expect(world.visits.complaints().filter((line) => !isExpected(line))).toEqual([]);
  }

  describe("beside passwords", () => {
    const world = eachServer(() => startTestServer(provider.settings()));

    test("a person logs in for the first time, comes back to the channel, and gives the account a password", async () => {
      provider.account = { sub: "ann", preferred_username: "ann" };
      const visit = await world.open({ at: "#/c/general" });
      const { page } = visit;
      await page.getByRole("button", { name: "Log in" }).first().click();
      const dialog = page.getByRole("dialog", { name: "Welcome back" });
      await dialog.getByText("or with a password").waitFor();
      expect(await axeProblems(page, "dialog")).toEqual([]);
      await dialog.getByRole("link", { name: "Continue with Example" }).click();
      await visit.field.waitFor();
      expect(page.url()).toBe(`${world.server.url}/#/c/general`);

      const profile = await visit.openWindow("ann", "Your profile");
      await profile.getByRole("tab", { name: "Security" }).click();
      const logins = profile.getByRole("list", { name: "Linked logins" });
      await logins.getByText("ann", { exact: true }).waitFor();
      expect(await axeProblems(page, "dialog")).toEqual([]);
      await profile.getByRole("button", { name: "Remove: ann" }).click();
      await page.getByRole("dialog", { name: "ann" }).getByRole("button", { name: "Remove" }).click();
      await profile.getByText("This is your only way to log in.").waitFor();
      await profile.getByLabel("New password").fill(PASSWORD);
      await page.keyboard.press("Enter");
      // The list of security notices, which is closed, may have the same words.
      await page.getByText("Your password was changed.").locator("visible=true").first().waitFor();
      await profile.getByRole("button", { name: "Remove: ann" }).click();
      await page.getByRole("dialog", { name: "ann" }).getByRole("button", { name: "Remove" }).click();
      await profile.getByText("No logins are linked to your account.").waitFor();
      expectOnlyProvider(world);
    });

    test("a user links a login, and sees an error if it belongs to somebody else", async () => {
      const bea = await world.server.user("bea");
      provider.account = { sub: "bea-at-work", preferred_username: "bea.at.work" };
      const visit = await world.open({ as: bea });
      const open = async () => {
        const profile = await visit.openWindow("bea", "Your profile");
        await profile.getByRole("tab", { name: "Security" }).click();
        return profile;
      };
      const link = async () => (await open()).getByRole("button", { name: "Link a login by Example" }).click();
      await link();
      await visit.field.waitFor();
      await (await open()).getByRole("list", { name: "Linked logins" }).getByText("bea.at.work").waitFor();
      await visit.page.keyboard.press("Escape");

      const carl = await world.server.user("carl");
      const other = await world.open({ as: carl });
      const profile = await other.openWindow("carl", "Your profile");
      await profile.getByRole("tab", { name: "Security" }).click();
      await profile.getByRole("button", { name: "Link a login by Example" }).click();
      await other.page.getByText("This login is already linked to another account.").waitFor();
      expect(new URL(other.page.url()).search).toBe("");
      expectOnlyProvider(world);
    });

    test("a login that fails is explained in the dialog, in Chinese, too", async () => {
      provider.account = null;
      const visit = await world.open();
      await visit.page.getByRole("button", { name: "Log in" }).first().click();
      await visit.page.getByRole("link", { name: "Continue with Example" }).click();
      const dialog = visit.page.getByRole("dialog", { name: "Welcome back" });
      await dialog.getByText("You weren't logged in").waitFor();
      expect(new URL(visit.page.url()).search).toBe("");
      const zh = await world.visits.open(`${world.server.url}/?error=domain_not_allowed`, { locale: "zh-CN" });
      await zh.getByText("你的邮箱地址不能在本站登录").waitFor();
      // A link cannot make the page say anything else.
      const forged = await world.visits.open(`${world.server.url}/?error=Send+me+your+password`);
      await forged.getByText("Logging in didn't work.").waitFor();
      expectOnlyProvider(world);
    });
  });

  describe("instead of passwords", () => {
    const settings = { passwordLogin: "off", guestRead: false } as const;
    const world = eachServer(() => startTestServer(provider.settings(settings)));

    test("the dialog has only the provider's button, and the front door none to register", async () => {
      provider.account = { sub: "dan", preferred_username: "dan" };
      const page = await world.visits.open(world.server.url);
      await page.getByRole("button", { name: "Log in" }).click();
      const dialog = page.getByRole("dialog", { name: "Welcome back" });
      const button = dialog.getByRole("link", { name: "Continue with Example" });
      await button.waitFor();
      expect(await dialog.getByLabel("Password").count()).toBe(0);
      expect(await page.getByRole("button", { name: "Create account" }).count()).toBe(0);
      await button.click();
      await ChatVisit.of(page).field.waitFor();
      expectOnlyProvider(world);
    });
  });
});
