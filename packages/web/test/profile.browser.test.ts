import { beforeEach, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { Anvil, accountOf } from "../../server/test/support/chains/anvil.ts";
import { evmWallet } from "../../server/test/support/chains/wallets.ts";
import { clockAhead } from "../../server/test/support/clock.ts";
import {
  Client,
  cookieOf,
  eventually,
  PASSWORD,
  startTestServer,
} from "../../server/test/support/servers/test-server.ts";
import { axeProblems } from "./support/axe.ts";
import { BrowserWallet } from "./support/browser-wallet.ts";
import { eachServer } from "./support/browser-world.ts";
import type { ChatVisit } from "./support/chat-visit.ts";

describe("the profile in a browser", () => {
  const clock = clockAhead();
  const world = eachServer(() => startTestServer({}, { clock }));
  let ana: Client;

  beforeEach(async () => {
    clock.ahead = 0;
    ana = await world.server.user("ana");
  });

  async function open(
    tab: "Profile" | "Wallets" | "Account" | "Security",
    options: Parameters<typeof ChatVisit.open>[2] = {},
  ): Promise<[Page, Locator]> {
    const visit = await world.open({ as: ana, ...options });
    const dialog = await visit.openWindow("ana", "Your profile");
    await dialog.getByLabel("Invite code", { exact: true }).waitFor();
    await dialog.getByRole("tab", { name: tab }).click();
    return [visit.page, dialog];
  }

  const own = async () => (await ana.get("/api/user/ana")).body;

  test("a picture is cropped to a square, saved, and can be removed", async () => {
    const [page, dialog] = await open("Profile");
    const wide = await page.evaluate(`(() => {
      const canvas = document.createElement("canvas");
      canvas.width = 600; canvas.height = 300;
      const context = canvas.getContext("2d");
      context.fillStyle = "#00f"; context.fillRect(0, 0, 300, 300);
      context.fillStyle = "#f00"; context.fillRect(300, 0, 300, 300);
      return canvas.toDataURL("image/png").split(",")[1];
    })()`);
    const buffer = Buffer.from(String(wide), "base64");
    await dialog.locator("input[type=file]").setInputFiles({ name: "wide.png", mimeType: "image/png", buffer });
    await dialog.getByLabel("Horizontal").focus();
    await page.keyboard.press("End");
    expect(await axeProblems(page, "dialog")).toEqual([]);
    await dialog.getByRole("button", { name: "Use this part" }).click();
    await dialog.locator("img.profile-picture").waitFor();
    const kept = new Bun.Image(Buffer.from((await own()).avatar, "base64"));
    expect(await kept.metadata()).toMatchObject({ width: 256, height: 256, format: "webp" });
    const centre = await page.evaluate(`(async () => {
      const image = document.querySelector("img.profile-picture");
      await image.decode();
      const canvas = document.createElement("canvas");
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      return [...context.getImageData(10, 128, 1, 1).data];
    })()`);
    // The right end of the picture is red, also at its left edge.
    expect((centre as number[])[0]).toBeGreaterThan(200);
    expect((centre as number[])[2]).toBeLessThan(60);
    await dialog.getByRole("button", { name: "Remove picture" }).click();
    await dialog.locator("span.profile-picture").waitFor();
    expect((await own()).avatar).toBeNull();
  });

  test("a file that is no picture and a wrong password are refused, and email and password change", async () => {
    const [page, dialog] = await open("Profile", { colorScheme: "dark" });
    const buffer = Buffer.from("not a picture");
    await dialog.locator("input[type=file]").setInputFiles({ name: "x.png", mimeType: "image/png", buffer });
    await page.getByText("can't read this file as a picture").waitFor();
    await dialog.getByRole("tab", { name: "Account" }).click();
    await dialog.getByRole("textbox", { name: "Email" }).fill("ana@example.org");
    await page.keyboard.press("Enter");
    await eventually("the email is kept", async () => (await own()).email === "ana@example.org");
    expect(await axeProblems(page, "dialog")).toEqual([]);

    await dialog.getByRole("tab", { name: "Security" }).click();
    const form = dialog.locator("form", { hasText: "New password" });
    expect(await form.getByLabel("Current password").count()).toBe(0);
    await form.getByLabel("New password").fill("short");
    await page.keyboard.press("Enter");
    await form.locator(".error", { hasText: /./ }).waitFor();
    expect(world.visits.complaints().every((line) => line.includes("400"))).toBe(true);
    await form.getByLabel("New password").fill("another long password");
    await page.keyboard.press("Enter");
    await page.getByText("Your password was changed. You were logged out").waitFor();
    const login = await world.server.guest.post("/api/auth/login", {
      username: "ana",
      password: "another long password",
    });
    expect(login.status).toBe(200);
  });

  test("the current password is asked for once the server requires it", async () => {
    const [page, dialog] = await open("Security");
    const form = dialog.locator("form", { hasText: "New password" });
    await form.getByLabel("New password").fill("another long password");
    clock.ahead = 11 * 60_000;
    await page.keyboard.press("Enter");
    await form.getByText("Enter your current password to confirm this change.").waitFor();
    const current = form.getByLabel("Current password");
    // It is there, with the focus, once the page knows that the user has a password.
    await form.locator("[name=current]:focus").waitFor();
    expect(await axeProblems(page, "dialog")).toEqual([]);
    await current.fill("not this one");
    await page.keyboard.press("Enter");
    await form.getByText("This isn't your current password.").waitFor();
    await current.fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByText("Your password was changed. You were logged out").waitFor();
    expect(world.visits.complaints().every((line) => line.includes("403"))).toBe(true);
  });

  test("honor shows the progress to the next level, and the history shows where points came from", async () => {
    const [page, dialog] = await open("Profile");
    await dialog.getByText("Level 0").waitFor();
    const bar = dialog.getByRole("progressbar");
    expect(await bar.getAttribute("max")).toBe("100");
    expect(await bar.getAttribute("aria-label")).toBe("0 of 100 honor points to the next level");
    await dialog.getByText("Points history").click();
    await dialog.getByText("Welcome").waitFor();
    await dialog.getByText("+100").waitFor();
    expect(await axeProblems(page, "dialog")).toEqual([]);
  });

  test("a wallet's signature verifies an address", async () => {
    const wallet = evmWallet();
    const [page, dialog] = await open("Wallets");
    await dialog.getByLabel("EVM address").fill(wallet.address);
    await dialog.locator("form", { hasText: "Solana address" }).getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("button", { name: "Verify ownership: EVM address" }).click();
    const text = await dialog.locator("pre.code").innerText();
    await dialog.getByLabel("Signature", { exact: true }).fill(await wallet.sign(text));
    expect(await axeProblems(page, "dialog")).toEqual([]);
    await dialog.getByRole("button", { name: "Submit signature" }).click();
    await dialog.getByText("verified", { exact: true }).waitFor();
    expect((await own()).evm_address_proven).toBe(true);
  });

  test("the browser's wallet adds its verified address to the profile", async () => {
    await using anvil = await Anvil.start();
    const [page, dialog] = await open("Wallets");
    const wallet = await BrowserWallet.install(page, anvil, 4);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Account menu of ana" }).click();
    await page.getByRole("button", { name: "Your profile" }).click();
    await dialog.getByRole("tab", { name: "Wallets" }).click();
    const connect = dialog.getByRole("button", { name: "Use the wallet in this browser" });
    wallet.refusal = { method: "personal_sign", code: 4001, message: "User rejected the request." };
    await connect.click();
    await dialog.getByText("You rejected the request in your wallet.").waitFor();
    await connect.click();
    await dialog.getByText("verified", { exact: true }).waitFor();
    expect(await dialog.getByLabel("EVM address").inputValue()).toBe(accountOf(4).address);
    expect(await own()).toMatchObject({ evm_address: accountOf(4).address, evm_address_proven: true });
  });

  test("users see their sessions and end one or all others", async () => {
    const login = async (agent: string) => {
      const headers = { "user-agent": agent };
      const answer = await world.server.guest.post(
        "/api/auth/login",
        { username: "ana", password: PASSWORD },
        { headers },
      );
      return new Client(world.server.url, { cookie: cookieOf(answer) });
    };
    const phone = await login("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1");
    const desk = await login("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Edg/140.0");
    await login("my-script/1.0 <b>");
    const [page, dialog] = await open("Security", { viewport: { width: 390, height: 760 } });
    const list = dialog.getByRole("list", { name: "Where you are logged in" });
    await list.getByText("my-script/1.0 <b>").waitFor();
    expect(await list.getByRole("listitem").first().innerText()).toContain("THIS BROWSER");
    expect(await axeProblems(page, "dialog")).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await list.getByRole("button", { name: "End session: Safari, iPhone" }).click();
    await list.getByText("Safari, iPhone").waitFor({ state: "detached" });
    expect((await phone.get("/api/auth/sessions")).status).toBe(401);
    expect((await desk.get("/api/auth/sessions")).status).toBe(200);
    await dialog.getByRole("button", { name: "Log out everywhere else" }).click();
    const sure = page.getByRole("dialog", { name: "Where you are logged in" });
    await sure.getByRole("button", { name: "Log out everywhere else" }).click();
    await list.getByText("Edge, Windows").waitFor({ state: "detached" });
    expect((await desk.get("/api/auth/sessions")).status).toBe(401);
    expect(await list.getByRole("listitem").count()).toBe(1);
    expect((await own()).username).toBe("ana");
  });

  test("users download their data and delete their account", async () => {
    const [page, dialog] = await open("Account", { viewport: { width: 360, height: 640 } });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name: "Download your data" }).click(),
    ]);
    expect(await Bun.file(await file.path()).json()).toMatchObject({ format: "parley-user-export", complete: true });
    await dialog.locator("summary", { hasText: "Delete your account" }).click();
    const form = dialog.locator("form", { hasText: "erased permanently" });
    await form.getByLabel("Password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    const sure = page.getByRole("dialog", { name: "ana", exact: true });
    expect(await axeProblems(page, "dialog")).toEqual([]);
    await sure.getByRole("button", { name: "Cancel" }).click();
    expect((await world.server.guest.get("/api/user/ana")).status).toBe(200);
    await form.getByRole("button", { name: "Delete your account" }).click();
    await sure.getByRole("button", { name: "Delete your account" }).click();
    await page.getByText("Log in to post").waitFor();
    expect((await world.server.guest.get("/api/user/ana")).status).toBe(404);
  });
});
