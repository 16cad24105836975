import { beforeEach, describe, expect, test } from "bun:test";
import { clockAhead } from "../../server/test/support/clock.ts";
import { type ReceivedMail, TestMailServer, tokenIn } from "../../server/test/support/mail/mail-server.ts";
import { eventually, PASSWORD, startTestServer } from "../../server/test/support/servers/test-server.ts";
import { staff } from "../../server/test/support/staff.ts";
import { axeProblems } from "./support/axe.ts";
import { eachServer } from "./support/browser-world.ts";

const NEW = "a staple and a battery";
const NARROW = { viewport: { width: 320, height: 640 }, colorScheme: "dark" } as const;
const WIDTH = "document.documentElement.scrollWidth";

describe("mail in a browser", () => {
  const clock = clockAhead();
  let mails: TestMailServer;
  const world = eachServer(async () => {
    mails = await TestMailServer.start();
    return startTestServer(mails.settings(), { clock });
  }, [401, 403, 410]);
  beforeEach(() => {
    clock.ahead = 0;
    world.hold(mails);
  });

  const mailTo = (address: string): Promise<ReceivedMail> =>
    eventually(`a mail to ${address}`, async () => mails.to(address).at(-1) ?? null);

  test("a user enters an address, confirms it by the link, and chooses digests, on a narrow dark screen", async () => {
    const ana = await world.server.user("ana");
    const visit = await world.open({ as: ana, ...NARROW });
    const dialog = await visit.openWindow("ana", "Profile");
    await dialog.getByRole("tab", { name: "Account" }).click();
    await dialog.getByText("Your account has no email address.").waitFor();
    await dialog.getByRole("textbox", { name: "Email" }).fill("ana@example.org");
    await visit.page.keyboard.press("Enter");
    await dialog.getByText("You have not confirmed ana@example.org yet").waitFor();
    expect(await axeProblems(visit.page, "dialog")).toEqual([]);
    expect(await visit.page.evaluate(WIDTH)).toBe(320);

    const token = tokenIn(await mailTo("ana@example.org"));
    const page = await world.visits.open(`${world.server.url}/confirm-address#${token}`, NARROW);
    const asked = page.getByRole("dialog", { name: "Confirm your email address" });
    await asked.waitFor();
    expect([page.url(), await page.evaluate(WIDTH)]).toEqual([`${world.server.url}/`, 320]);
    expect(await axeProblems(page)).toEqual([]);
    // Opening the link has confirmed nothing.
    expect((await ana.get("/api/mail")).body.state).toBe("unconfirmed");
    await asked.getByRole("button", { name: "Confirm the address" }).press("Enter");
    await page.getByText("ana@example.org is confirmed for ana.").waitFor();
    expect((await ana.get("/api/mail")).body.state).toBe("confirmed");

    await dialog.getByRole("tab", { name: "Notifications" }).click();
    const part = dialog.getByRole("region", { name: "Mail" });
    await part.getByText("Mails go to ana@example.org.").waitFor();
    await part.getByLabel("Mails about missed messages").selectOption("daily");
    await part.getByLabel("Include the text of messages").click();
    await eventually("it is stored", async () => {
      const { mail } = (await ana.get("/api/notifications/settings")).body;
      return mail.digest === "daily" && mail.previews === true;
    });
    expect(await axeProblems(visit.page, "dialog")).toEqual([]);
    expect(await visit.page.evaluate(WIDTH)).toBe(320);
    await part.getByLabel("Mails about missed messages").selectOption("off");
    await part.getByLabel("Include the text of messages").waitFor({ state: "detached" });
  });

  test("a user who logged in long ago needs their password for another address", async () => {
    const ana = await world.server.user("ana");
    const visit = await world.open({ as: ana, ...NARROW });
    const dialog = await visit.openWindow("ana", "Profile");
    await dialog.getByRole("tab", { name: "Account" }).click();
    await dialog.getByRole("textbox", { name: "Email" }).fill("ana@example.org");
    clock.ahead = 11 * 60_000;
    await visit.page.keyboard.press("Enter");
    await dialog.getByLabel("Current password").fill(PASSWORD);
    expect(await axeProblems(visit.page, "dialog")).toEqual([]);
    expect(await visit.page.evaluate(WIDTH)).toBe(320);
    await visit.page.keyboard.press("Enter");
    await dialog.getByText("You have not confirmed ana@example.org yet").waitFor();
    expect((await ana.get("/api/user/ana")).body.email).toBe("ana@example.org");
  });

  test("a user who forgot their password gets a link, and reads the same for an account that does not exist", async () => {
    const ana = await world.server.user("ana");
    await ana.put("/api/user/ana", { email: "ana@example.org" });
    await ana.post("/api/auth/confirm-address", { token: tokenIn(await mailTo("ana@example.org")) });
    const page = await world.visits.open(world.server.url, NARROW);
    const answers: string[] = [];
    await page.getByRole("button", { name: "Log in" }).first().click();
    for (const account of ["nobody-here", "ana"]) {
      const login = page.getByRole("dialog", { name: "Welcome back" });
      await login.getByLabel("Username").fill(account);
      await login.getByRole("button", { name: "Forgot your password?" }).click();
      const asked = page.getByRole("dialog", { name: "Set a new password" });
      expect(await asked.getByLabel("Username or email address").inputValue()).toBe(account);
      expect(await axeProblems(page, "dialog")).toEqual([]);
      await page.keyboard.press("Enter");
      answers.push(await asked.getByRole("status").innerText());
      expect(await page.evaluate(WIDTH)).toBe(320);
      await asked.getByRole("button", { name: "Back to the login" }).click();
    }
    expect(answers[0]).toBe(answers[1]);
    const mail = await eventually(
      "a reset mail",
      async () => mails.mails.find(({ text }) => text.includes("/reset#")) ?? null,
    );
    const reset = await world.visits.open(`${world.server.url}/reset#${tokenIn(mail)}`);
    await reset.getByLabel("New password", { exact: true }).fill(NEW);
    await reset.keyboard.press("Enter");
    await reset.getByText("The password of ana is changed.").waitFor();
    expect(mails.to("nobody-here")).toEqual([]);
  });

  test("an administrator invites by mail, and the link leads to the registration", async () => {
    const visit = await world.open({ as: await staff(world.server, "rosa", 2) });
    const dialog = await visit.openWindow("rosa", "Administration");
    await dialog.getByRole("tab", { name: "Site" }).click();
    const part = dialog.getByRole("region", { name: "Invite by mail" });
    await part.getByLabel("Email address").fill("ben@example.org");
    await visit.page.keyboard.press("Enter");
    await visit.page.getByText("An invitation to ben@example.org is on its way.").waitFor();
    expect(await axeProblems(visit.page, "dialog")).toEqual([]);
    const { text } = await mailTo("ben@example.org");
    const path = /https:\/\/chat\.example\.org(\/join\S*)/.exec(text)?.[1] ?? "";
    const friend = await world.visits.open(`${world.server.url}${path}`);
    await friend.getByText("rosa invited you.").waitFor();
  });

  test("the health of the server shows mails that do not get away, and since when", async () => {
    mails.onRecipient = () => Object.assign(new Error("come back later"), { responseCode: 450 });
    const rosa = await staff(world.server, "rosa", 2);
    await rosa.post("/api/invitations/mail", { email: "ben@example.org" });
    await eventually("a try has failed", async () => (await rosa.get("/api/admin/mail")).body.last_problem !== null);
    const hourAgo = Date.now() - 3_600_000;
    await world.server.ctx.db.updateTable("mails").set({ created_at: hourAgo }).execute();
    const visit = await world.open({ as: rosa });
    const dialog = await visit.openWindow("rosa", "Administration");
    await dialog.getByRole("tab", { name: "Health" }).click();
    await dialog.getByText("1 mail waits; the oldest has been due since").waitFor();
    await dialog.getByText("come back later").waitFor();
    expect(await axeProblems(visit.page, "dialog")).toEqual([]);
  });
});

describe("without mail", () => {
  const world = eachServer(startTestServer, [401]);

  test("the login tells to ask an administrator, and the settings that no mail is sent", async () => {
    const ana = await world.server.user("ana");
    const page = await world.visits.open(world.server.url);
    await page.getByRole("button", { name: "Log in" }).first().click();
    const login = page.getByRole("dialog", { name: "Welcome back" });
    await login.getByLabel("Username").fill("ana");
    await login.getByLabel("Password").fill("forgotten");
    await page.keyboard.press("Enter");
    await login.getByText("An administrator can send you a link").waitFor();
    expect(await login.getByText("Forgot your password?", { exact: true }).count()).toBe(0);
    const visit = await world.open({ as: ana });
    const dialog = await visit.openWindow("ana", "Profile");
    await dialog.getByRole("tab", { name: "Notifications" }).click();
    await dialog.getByText("This server sends no mail.").waitFor();
  });
});
