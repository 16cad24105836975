import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { Client, startTestServer } from "../../server/test/support/servers/test-server.ts";
import { staff } from "../../server/test/support/staff.ts";
import { axeProblems } from "./support/axe.ts";
import { eachServer } from "./support/browser-world.ts";
import { PHONE } from "./support/touch.ts";

const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };

describe("setup codes in a browser", () => {
  const world = eachServer(() => startTestServer(), [403, 404, 409, 410]);
  const clipboard = (page: Page) => page.evaluate("navigator.clipboard.readText()") as Promise<string>;
  const claim = (code: string, headers = {}) => world.server.guest.post("/api/agenthub/setup", { code }, { headers });

  test("a member makes a code for an agent of their own, and copies or scans it", async () => {
    const ann = await world.server.newUser();
    const visit = await world.open({ as: ann, ...CLIPBOARD });
    const own = await visit.openWindow(ann.username, "Your agents");
    await own.getByRole("button", { name: "Set up an agent" }).press("Enter");
    await visit.page.getByRole("dialog", { name: "Set up an agent" }).waitFor();
    await visit.page.keyboard.type("Night Owl");
    await visit.page.keyboard.press("Enter");
    const dialog = visit.page.getByRole("dialog", { name: "Setup code for Night Owl" });
    await dialog.getByText("The code works once, until").waitFor();
    await dialog.getByRole("img", { name: "The address as a QR code" }).waitFor();
    expect(await axeProblems(visit.page, "dialog")).toEqual([]);
    await dialog.getByRole("button", { name: "Copy: Address" }).click();
    const address = await clipboard(visit.page);
    const code = await dialog.getByLabel("Code", { exact: true }).inputValue();
    expect(address).toBe(`${world.server.url}/setup#${code}`);
    expect((await claim(code)).body.agent_name).toBe("Night Owl");
  });

  test("the page of a code says what it gives, does not use it, and keeps it out of the address", async () => {
    const ann = await world.server.newUser();
    const body = { agent_name: "Reader", scopes: ["read"], channels: ["general"] };
    const { setup_url, code } = (await ann.post("/api/agents/setup-codes", body)).body;
    const page = await world.visits.open(setup_url, PHONE);
    const dialog = page.getByRole("dialog", { name: "A setup code" });
    await dialog.getByText("This code sets up the agent Reader.").waitFor();
    await dialog.getByText(`It belongs to ${ann.username}.`).waitFor();
    await dialog.getByText("It may only be in #general.").waitFor();
    expect(await dialog.getByRole("textbox", { name: "Address" }).inputValue()).toBe(setup_url);
    const lines = await dialog.locator("pre").allTextContents();
    expect(lines[0]).toContain(`--code "${setup_url}" -- `);
    const [program = ""] = /http[^"]+parley-acp\.tgz[^"]*/.exec(lines[0] ?? "") ?? [];
    expect((await fetch(program)).status).toBe(200);
    expect(page.url()).toBe(`${world.server.url}/`);
    expect(await axeProblems(page, "dialog")).toEqual([]);
    expect((await claim(code)).status).toBe(201);
    const again = await world.visits.open(setup_url, PHONE);
    await again.getByText("This setup code has been used.").waitFor();
  });

  test("the owner makes a code for an agent, and revokes the key of whoever was first", async () => {
    const ann = await world.server.newUser();
    const first = (await ann.post("/api/agents/setup-codes", { agent_name: "Guarded" })).body;
    await claim(first.code);
    const visit = await world.open({ as: ann });
    const own = await visit.openWindow(ann.username, "Your agents");
    await own.getByRole("button", { name: "Setup code" }).click();
    const dialog = visit.page.getByRole("dialog", { name: "Setup code for Guarded" });
    await dialog.getByRole("button", { name: "Make a code" }).click();
    const code = await dialog.getByLabel("Code", { exact: true }).inputValue();
    const { api_key } = (await claim(code, { "user-agent": "stranger/1.0" })).body;
    await dialog.getByRole("button", { name: "Done" }).click();
    await own.getByRole("button", { name: "Close" }).click();
    await visit.page.getByRole("button", { name: /^Notifications/ }).click();
    const entry = visit.page.locator(".notification", { hasText: "stranger/1.0" });
    await entry.getByText("Your agent Guarded got a key with a setup code").waitFor();
    await entry.getByRole("button", { name: "Revoke this key" }).click();
    await visit.page.getByText("The key is revoked.").waitFor();
    const me = await new Client(world.server.url, { authorization: `Bearer ${api_key}` }).get("/api/agenthub/me");
    expect([me.status, me.body.code]).toEqual([401, "key_revoked"]);
  });

  test("an administrator sets up an agent of another user", async () => {
    const [rosa, ann] = [await staff(world.server, "rosa", 2), await world.server.newUser()];
    const visit = await world.open({ as: rosa });
    const own = await visit.openWindow("rosa", "Your agents");
    await own.getByRole("button", { name: "Set up an agent" }).click();
    const dialog = visit.page.getByRole("dialog", { name: "Set up an agent" });
    await dialog.getByLabel("Name", { exact: true }).fill("For Ann");
    await dialog.getByLabel("Owner").fill(ann.username);
    await dialog.getByRole("button", { name: "Make a code" }).click();
    const made = visit.page.getByRole("dialog", { name: "Setup code for For Ann" });
    const code = await made.getByLabel("Code", { exact: true }).inputValue();
    await claim(code);
    expect((await ann.get("/api/agents")).body.agents).toMatchObject([{ agent_names: ["For Ann"] }]);
  });
});
