import { describe, expect, test } from "bun:test";
import { expectError } from "../../server/test/support/expect-error.ts";
import { startTestServer } from "../../server/test/support/servers/test-server.ts";
import { staff } from "../../server/test/support/staff.ts";
import { axeProblems } from "./support/axe.ts";
import { eachServer } from "./support/browser-world.ts";
import { PHONE } from "./support/touch.ts";

const NEW = "a staple and a battery";

describe("a forgotten password in a browser", () => {
  const world = eachServer(() => startTestServer({ guestRead: false }), [401, 410]);

  test("an administrator makes a link, with which the user sets a new password on a phone and logs in", async () => {
    const rosa = await staff(world.server, "rosa", 2);
    const ana = await world.server.user("ana");
    const visit = await world.open({ as: rosa });
    const window = await visit.openWindow("rosa", "Administration");
    await window.getByRole("tab", { name: "Users" }).click();
    await window.getByRole("button", { name: "Manage ana" }).click();
    await window.getByRole("button", { name: "Reset password" }).click();
    const making = visit.page.getByRole("dialog", { name: "New password for ana" });
    await making.getByRole("button", { name: "Make a link" }).click();
    const link = await making.getByLabel("Link", { exact: true }).inputValue();
    await making.getByText("Send it to ana only").waitFor();
    expect(await axeProblems(visit.page, "dialog")).toEqual([]);

    const page = await world.visits.open(link, PHONE);
    const form = page.getByRole("dialog", { name: "Choose a new password" });
    await form.getByLabel("New password").fill(NEW);
    expect(await axeProblems(page)).toEqual([]);
    // The token is neither in the address nor in the history, which has one entry for the dialog: Back closes it.
    expect([page.url(), await page.evaluate("history.length")]).toEqual([`${world.server.url}/`, 3]);
    await page.keyboard.press("Enter");
    await page.getByText("The password of ana is changed.").waitFor();
    expectError(await ana.get("/api/auth/sessions"), 401, "session_required");
    const login = page.getByRole("dialog", { name: "Welcome back" });
    await login.getByLabel("Username").fill("ana");
    await login.getByLabel("Password").fill("forgotten");
    await page.keyboard.press("Enter");
    await login.getByText("An administrator can send you a link").waitFor();
    await login.getByLabel("Password").fill(NEW);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "This is the start of #general." }).waitFor();

    const again = await world.visits.open(link);
    await again.getByLabel("New password", { exact: true }).fill(NEW);
    await again.keyboard.press("Enter");
    await again.getByText("This link no longer works.").waitFor();
    expect(await axeProblems(again)).toEqual([]);
  });
});
