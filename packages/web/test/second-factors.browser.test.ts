import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { codeAt, setUpApp } from "../../server/test/support/authenticator-app.ts";
import { stillDate } from "../../server/test/support/clock.ts";
import { PASSWORD, startTestServer } from "../../server/test/support/servers/test-server.ts";
import { staff } from "../../server/test/support/staff.ts";
import { axeProblems } from "./support/axe.ts";
import { eachServer } from "./support/browser-world.ts";

const clock = stillDate();

/** Adds an authenticator in software to the page's browser. It checks its user by itself. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

const fillLogin = async (page: Page, username: string) => {
  const dialog = page.getByRole("dialog", { name: "Welcome back" });
  await dialog.getByLabel("Username").fill(username);
  await dialog.getByLabel("Password").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Log in", exact: true }).click();
  return dialog;
};

describe("second factors in a browser", () => {
  // A login that needs a code answers 401, a wrong code 403.
  const world = eachServer(() => startTestServer({}, { clock }), [401, 403]);

  test("an authenticator app is set up in the profile, and a login asks for its code", async () => {
    const ana = await world.server.user("ana");
    const visit = await world.open({ as: ana });
    const { page } = visit;
    const dialog = await visit.openWindow("ana", "Your profile");
    await dialog.getByRole("tab", { name: "Security" }).click();
    await dialog.getByRole("button", { name: "Set up an authenticator app" }).click();
    await dialog.getByRole("img", { name: "QR code for the authenticator app" }).waitFor();
    expect(await axeProblems(page, "dialog")).toEqual([]);
    const secret = await dialog.getByLabel("Secret", { exact: true }).inputValue();
    await dialog.getByLabel("Code from the app").fill("000000");
    await page.keyboard.press("Enter");
    await dialog.getByText("This code is wrong").waitFor();
    await dialog.getByLabel("Code from the app").fill(codeAt(secret, clock.now() - 30_000));
    await page.keyboard.press("Enter");
    const codes = dialog.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
    await codes.first().waitFor();
    expect(await codes.count()).toBe(10);
    expect(await axeProblems(page, "dialog")).toEqual([]);
    const recovery = (await codes.first().textContent()) ?? "";
    const download = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Download" }).click();
    expect((await download).suggestedFilename()).toBe("parley-recovery-codes.txt");
    await dialog.getByRole("button", { name: "I've saved them" }).click();
    await dialog.getByText("Recovery codes left: 10.").waitFor();

    const again = await world.open({ viewport: { width: 390, height: 844 } });
    await again.page.getByRole("button", { name: "Log in" }).first().click();
    const login = await fillLogin(again.page, "ana");
    await login.getByText("Enter the code from your authenticator app").waitFor();
    expect(await axeProblems(again.page, "dialog")).toEqual([]);
    await login.getByLabel("Code").fill("nonsense");
    await again.page.keyboard.press("Enter");
    await login.getByText("This code is wrong").waitFor();
    await login.getByLabel("Code").fill(recovery);
    await again.page.keyboard.press("Enter");
    await login.waitFor({ state: "detached" });
    expect((await ana.get("/api/auth/second-factor")).body.second_factor.recovery_codes_left).toBe(9);
  });
});

describe("passkeys in a browser", () => {
  const world = eachServer(async () => {
    const server = await startTestServer({}, { clock });
    // Browsers have no passkeys at an IP address.
    return Object.assign(server, { url: server.url.replace("127.0.0.1", "localhost") });
  }, [401, 403, 404]);

  test("a passkey is added in the profile, renamed, logs in, and is removed", async () => {
    const ana = await world.server.user("ana");
    const visit = await world.open({ as: ana });
    const { page } = visit;
    await addAuthenticator(page);
    let dialog = await visit.openWindow("ana", "Your profile");
    await dialog.getByRole("tab", { name: "Security" }).click();
    await dialog.getByLabel("Name of the passkey").fill("laptop");
    await dialog.getByRole("button", { name: "Add a passkey" }).click();
    const passkeys = dialog.getByRole("list", { name: "Passkeys" });
    await passkeys.getByText("laptop").waitFor();
    expect(await axeProblems(page, "dialog")).toEqual([]);
    await dialog.getByRole("button", { name: "Rename: laptop" }).click();
    const renaming = page.getByRole("dialog", { name: "Rename: laptop" });
    expect(await axeProblems(page, "dialog[open]")).toEqual([]);
    await renaming.getByLabel("Name of the passkey").fill("old phone");
    await page.keyboard.press("Enter");
    await renaming.waitFor({ state: "detached" });
    await passkeys.getByText("old phone").waitFor();
    expect((await ana.get("/api/auth/passkeys")).body.passkeys[0].name).toBe("old phone");
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: "Account menu of ana" }).click();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByRole("button", { name: "Log in" }).first().click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign in with a passkey" }).click();
    dialog = await visit.openWindow("ana", "Your profile");
    await dialog.getByRole("tab", { name: "Security" }).click();
    await dialog.getByText("last used").waitFor();
    await dialog.getByRole("button", { name: "Remove: old phone" }).click();
    await page.getByRole("dialog", { name: "old phone" }).getByRole("button", { name: "Remove" }).click();
    await dialog.getByText("You don't have any passkeys.").waitFor();
  });

  test("renaming a passkey that is gone says so, once", async () => {
    const eva = await world.server.user("eva");
    const visit = await world.open({ as: eva });
    const { page } = visit;
    await addAuthenticator(page);
    const dialog = await visit.openWindow("eva", "Your profile");
    await dialog.getByRole("tab", { name: "Security" }).click();
    await dialog.getByLabel("Name of the passkey").fill("laptop");
    await dialog.getByRole("button", { name: "Add a passkey" }).click();
    await dialog.getByRole("button", { name: "Rename: laptop" }).click();
    const [passkey] = (await eva.get("/api/auth/passkeys")).body.passkeys;
    expect((await eva.delete(`/api/auth/passkeys/${passkey.passkey_id}`)).status).toBe(200);
    await page.keyboard.press("Enter");
    const error = page.getByRole("dialog", { name: "Rename: laptop" }).getByText("This passkey no longer exists.");
    await error.first().waitFor();
    expect(await error.count()).toBe(1);
  });
});

describe("a required second factor in a browser", () => {
  const world = eachServer(() => startTestServer({ requireSecondFactor: "all" }, { clock }), [401, 403]);

  test("is set up before anything else", async () => {
    const ana = await world.server.user("ana");
    const [name = "", value = ""] = (ana.credential.cookie ?? "").split("=");
    const { url } = world.server;
    const page = await world.visits.open(url, {}, (page) => page.context().addCookies([{ name, value, url }]));
    const dialog = page.getByRole("dialog", { name: "Set up a second factor" });
    await dialog.getByRole("button", { name: "Set up an authenticator app" }).click();
    const secret = await dialog.getByLabel("Secret", { exact: true }).inputValue();
    expect(await axeProblems(page, "dialog")).toEqual([]);
    await dialog.getByLabel("Code from the app").fill(codeAt(secret, clock.now()));
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "I've saved them" }).click();
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Account menu of ana" }).waitFor();
  });
});

describe("the second factors of another user in a browser", () => {
  const world = eachServer(() => startTestServer({}, { clock }));

  test("are removed by an administrator", async () => {
    const [bob, ruth] = [await world.server.user("bob"), await staff(world.server, "ruth", 2)];
    await setUpApp(bob, clock);
    const visit = await world.open({ as: ruth });
    const admin = await visit.openWindow("ruth", "Administration");
    await admin.getByRole("tab", { name: "Users" }).click();
    await admin.getByRole("button", { name: "Manage bob" }).click();
    await admin.getByRole("button", { name: "Remove second factors" }).click();
    const dialog = visit.page.getByRole("dialog", { name: "Second factors of bob" });
    await dialog.getByText("Make sure that it is bob who asks").waitFor();
    expect(await axeProblems(visit.page, "dialog")).toEqual([]);
    await dialog.getByRole("button", { name: "Remove second factors" }).click();
    await visit.page.getByText("The second factors of bob were removed.").waitFor();
    expect((await bob.get("/api/auth/second-factor")).body.second_factor.totp_since).toBeNull();
  });
});
